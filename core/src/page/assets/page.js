// What pages do better with a script: copy, count, and warn before a key is lost. Each page works without
// it.
"use strict";

const said = document.getElementById("copied");
let isKept = false;
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {
      // Without TLS there is no clipboard: what is selected can be copied all the same.
      getSelection().selectAllChildren(source);
      document.execCommand("copy");
    }
    isKept = true;
    button.textContent = said.dataset.said;
    said.textContent = "";
    requestAnimationFrame(() => { said.textContent = said.dataset.said; });
  });
}

// A key that was shown is not requested again when the page is reloaded, nor lost by a slip.
if (document.getElementById("key")) {
  history.replaceState(null, "", location.href);
  addEventListener("beforeunload", (event) => {
    if (!isKept) event.preventDefault();
  });
}

for (const counter of document.querySelectorAll("[data-counts]")) {
  const field = document.getElementById(counter.dataset.counts);
  const max = Number(counter.dataset.max);
  const { format } = new Intl.NumberFormat(document.documentElement.lang || undefined);
  const count = () => {
    // One line is trimmed before it is measured; a text is taken as it is.
    const text = field.tagName === "INPUT" ? field.value.trim() : field.value;
    const length = Array.from(text).length;
    counter.textContent = `${format(length)} / ${format(max)}`;
    counter.classList.toggle("over", length > max);
  };
  field.addEventListener("input", count);
  count();
}
