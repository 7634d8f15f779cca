// A secret that is shown once is not lost by a slip, and a key is not requested again when the page is reloaded.
"use strict";

if (document.getElementById("key")) history.replaceState(null, "", location.href);
let isKept = false;
const keep = (event) => {
  if (event.target.closest("[data-keeps]")) isKept = true;
};
document.addEventListener("copied", keep);
document.addEventListener("click", (event) => {
  if (event.target.closest("a")) keep(event);
});
const isRemembered = () => document.getElementById("remembered")?.hidden === false;
addEventListener("beforeunload", (event) => {
  const isShown = Array.from(document.querySelectorAll("[data-once]")).some((secret) => !secret.closest("[hidden]"));
  if (isShown && !isKept && !isRemembered()) event.preventDefault();
});
