// What pages do better with a script: copy, count, preview, and warn before typed text is lost.
// Each page works without it.
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

// A key that was shown is not asked for again when the page is loaded anew, nor lost by a slip.
if (document.getElementById("key")) {
  history.replaceState(null, "", location.href);
  addEventListener("beforeunload", (event) => {
    if (!isKept) event.preventDefault();
  });
}

// What was saved is said once.
if (document.getElementById("saved")) {
  const here = new URL(location.href);
  here.searchParams.delete("saved");
  history.replaceState(null, "", here);
}

for (const counter of document.querySelectorAll("[data-counts]")) {
  const field = document.getElementById(counter.dataset.counts);
  const max = Number(counter.dataset.max);
  const count = () => {
    // One line is trimmed before it is measured; a text is taken as it is.
    const text = field.tagName === "INPUT" ? field.value.trim() : field.value;
    const length = Array.from(text).length;
    counter.textContent = `${length} / ${max}`;
    counter.classList.toggle("over", length > max);
  };
  field.addEventListener("input", count);
  count();
}

const form = document.getElementById("form");
if (form) {
  const typed = () => new URLSearchParams(new FormData(form)).toString();
  const opened = "unsaved" in form.dataset ? null : typed();
  let leaves = false;
  form.addEventListener("submit", () => { leaves = true; });
  addEventListener("pageshow", () => { leaves = false; });
  addEventListener("beforeunload", (event) => {
    if (!leaves && typed() !== opened) event.preventDefault();
  });

  const show = (page, id) => {
    document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
  };
  let pause, asking;
  const preview = async () => {
    asking?.abort();
    asking = new AbortController();
    const body = new URLSearchParams(new FormData(form));
    body.set("action", "preview");
    try {
      const response = await fetch(location.href, {
        method: "POST", body, signal: asking.signal, headers: { Accept: "text/html" },
      });
      if (!response.ok) return false;
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      for (const field of form.querySelectorAll("input[type=text], textarea")) {
        const now = page.getElementById(field.id);
        field.ariaInvalid = now.ariaInvalid;
        field.setAttribute("aria-describedby", now.getAttribute("aria-describedby"));
        show(page, `${field.id}-fault`);
      }
      show(page, "preview");
      show(page, "advice");
      // Nobody is alarmed while typing; what was mended is not asked for any more.
      if (!page.getElementById("faults")) show(page, "summary");
      return true;
    } catch (error) {
      // What was typed over is asked for again.
      return error.name === "AbortError";
    }
  };
  form.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(preview, 400);
  });
  form.querySelector("[value=preview]").addEventListener("click", async (event) => {
    event.preventDefault();
    clearTimeout(pause);
    const button = event.currentTarget;
    if (await preview()) {
      document.getElementById("preview").scrollIntoView();
    } else {
      // The page that answers says what is wrong.
      form.requestSubmit(button);
    }
  });
}
