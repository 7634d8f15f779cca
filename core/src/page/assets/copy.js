// A button on each block of code, which copies it. Without scripts, people select the code.
"use strict";

const said = document.getElementById("code-copied");
for (const code of document.querySelectorAll(".text pre, .exchange pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = said.dataset.copy;
  button.ariaLabel = said.dataset.label;
  button.addEventListener("click", async () => {
    try {
      // Without the last line's end, so that a terminal does not run what is pasted.
      await navigator.clipboard.writeText(code.textContent.replace(/\n$/, ""));
    } catch {
      // Without TLS there is no clipboard: what is selected can be copied all the same.
      getSelection().selectAllChildren(code);
      document.execCommand("copy");
    }
    button.textContent = said.dataset.said;
    said.textContent = "";
    requestAnimationFrame(() => { said.textContent = said.dataset.said; });
    setTimeout(() => { button.textContent = said.dataset.copy; }, 3000);
  });
  // The button stays in its place while the code is scrolled.
  const box = document.createElement("div");
  box.className = "code";
  code.replaceWith(box);
  box.append(code, button);
}
