// Buttons that copy. Each page works without them.
"use strict";

const said = document.getElementById("copied");
// Without TLS there is no clipboard for scripts: what is selected can be copied all the same.
const copySelected = (text) => {
  const before = document.activeElement;
  const field = document.createElement("textarea");
  Object.assign(field, { value: text, className: "unseen" });
  said.after(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  before.focus({ preventScroll: true });
  return isCopied;
};
const copies = (button, text) => {
  const label = button.textContent;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
    } catch {
      if (!copySelected(text())) return;
    }
    button.dispatchEvent(new Event("copied", { bubbles: true }));
    button.textContent = said.dataset.said;
    said.textContent = "";
    requestAnimationFrame(() => { said.textContent = said.dataset.said; });
    setTimeout(() => { button.textContent = label; }, 3000);
  });
};
for (const button of document.querySelectorAll("[data-copy]:is(button)")) {
  button.hidden = false;
  copies(button, () => document.getElementById(button.dataset.copy).textContent);
}
// A button on each block of code. It copies without the last line's end, so that a terminal does not run what is pasted.
for (const code of said?.dataset.copy ? document.querySelectorAll(".text pre, .exchange > pre:first-child") : []) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", textContent: said.dataset.copy, ariaLabel: said.dataset.label });
  copies(button, () => code.textContent.replace(/\n$/, ""));
  // The button stays in its place while the code is scrolled.
  const box = document.createElement("div");
  box.className = "code";
  code.replaceWith(box);
  box.append(code, button);
}
