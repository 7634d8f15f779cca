// The button that hands a post to another program, where the browser can.
"use strict";

for (const button of navigator.share ? document.querySelectorAll("[data-share]") : []) {
  button.hidden = false;
  button.addEventListener("click", () => {
    navigator.share({ title: document.title, url: button.dataset.share }).catch(() => {});
  });
}
