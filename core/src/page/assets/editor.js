// What the editor does better with a script: preview, store what is typed, format, and shortcuts. It works
// without all of this.
const byId = (id) => document.getElementById(id);
const form = byId("form");
const body = byId("body");
const save = byId("save");
const mac = navigator.platform.startsWith("Mac");

// Tells screen readers something.
const said = byId("said");
const say = (text) => {
  said.textContent = "";
  requestAnimationFrame(() => { said.textContent = text; });
};

byId("faults")?.addEventListener("click", (event) => {
  // The field is on the other tab.
  if (event.target.hash) byId("view-write").checked = true;
});

// What was saved or published is said once.
const done = byId("saved") ?? byId("published");
if (done) {
  const here = new URL(location.href);
  here.searchParams.delete("saved");
  here.searchParams.delete("published");
  history.replaceState(null, "", here);
  form.addEventListener("input", () => byId("saved")?.classList.add("past"), { once: true });
}

// What is typed stays in this browser until it is saved. The API key does not.
const secrets = ["api_key"];
const place = `handbill ${form.dataset.draft}`;
const typed = () => {
  const fields = Object.fromEntries(new FormData(form));
  for (const name of secrets) delete fields[name];
  return JSON.stringify(fields);
};
const opened = "unsaved" in form.dataset ? null : typed();
// The browser may have no room, or store nothing at all.
const tried = (use) => {
  try {
    return use(localStorage);
  } catch {
    return null;
  }
};
const forget = (name) => tried((storage) => storage.removeItem(name));
const store = () => {
  const text = typed();
  return text === opened ? forget(place) : tried((storage) => storage.setItem(place, text));
};

if (done) {
  forget(place);
  // The new post came from the form for new posts.
  if (done.id === "published") forget(place.replace(/\/p\/\w+$/, "/write"));
}
let leaves = false;
byId("drop")?.addEventListener("click", () => { leaves = true; forget(place); });
byId("delete")?.querySelector("form").addEventListener("submit", () => { leaves = true; forget(place); });
let submitted = -Infinity;
form.addEventListener("submit", (event) => {
  // A double click publishes one post.
  if (performance.now() - submitted < 2000) {
    event.preventDefault();
    return;
  }
  submitted = performance.now();
  store();
  leaves = true;
});
addEventListener("pageshow", () => { leaves = false; });
addEventListener("beforeunload", (event) => {
  if (!leaves && typed() !== opened) event.preventDefault();
});

// An earlier text is offered where the form does not have it.
const earlier = opened === null ? null : tried((storage) => storage.getItem(place));
if (earlier && earlier !== opened) {
  const offer = byId("offer");
  offer.hidden = false;
  byId("discard").addEventListener("click", () => {
    offer.hidden = true;
    store();
    body.focus();
  });
  byId("restore").addEventListener("click", () => {
    offer.hidden = true;
    for (const [name, value] of Object.entries(JSON.parse(earlier))) {
      const field = form.elements.namedItem(name);
      // The revision that the text is based on comes back too, so that nothing is overwritten.
      if (field && !secrets.includes(name)) field.value = value;
    }
    for (const field of form.elements) field.dispatchEvent(new Event("input", { bubbles: true }));
    say(said.dataset.restored);
    body.focus();
  });
}

// The preview comes from the server, so that it shows exactly what will be published.
const show = (page, id) => byId(id).replaceChildren(...page.getElementById(id).childNodes);
let pause, asking, faultsSaid = "";
const preview = async () => {
  asking?.abort();
  asking = new AbortController();
  const sent = new URLSearchParams(new FormData(form));
  for (const name of secrets) sent.delete(name);
  sent.set("action", "preview");
  try {
    const response = await fetch(location.href, {
      method: "POST", body: sent, signal: asking.signal, headers: { Accept: "text/html" },
    });
    if (!response.ok) return false;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const field of form.querySelectorAll("input[type=text], textarea, select")) {
      const now = page.getElementById(field.id);
      field.ariaInvalid = now.ariaInvalid;
      field.setAttribute("aria-describedby", now.getAttribute("aria-describedby"));
      show(page, `${field.id}-fault`);
    }
    const faults = page.getElementById("faults");
    if (faults) {
      // The last preview stays while the text is not valid.
      const text = Array.from(faults.querySelectorAll("li"), (fault) => fault.textContent).join(" ");
      if (text !== faultsSaid) say(text);
      faultsSaid = text;
    } else {
      faultsSaid = "";
      show(page, "preview");
      show(page, "advice");
      // Typing adds nothing to the summary. What was corrected leaves it.
      show(page, "summary");
    }
    return !faults;
  } catch (error) {
    // What was typed over is asked for again.
    return error.name === "AbortError";
  }
};
const previewSoon = () => {
  clearTimeout(pause);
  pause = setTimeout(() => { if (body.value.trim()) preview(); }, 400);
};
form.addEventListener("input", previewSoon);
let storing;
form.addEventListener("input", () => {
  clearTimeout(storing);
  storing = setTimeout(store, 300);
});
document.addEventListener("visibilitychange", () => {
  // An earlier text that is only offered stays.
  if (!leaves && typed() !== opened) store();
});
form.querySelector("[value=preview]").addEventListener("click", async (event) => {
  event.preventDefault();
  clearTimeout(pause);
  const button = event.currentTarget;
  if (await preview()) {
    byId("view-preview").checked = true;
    byId("preview").scrollIntoView({ block: "nearest" });
    say(said.dataset.previewed);
  } else {
    // The page of the response says what is wrong.
    form.noValidate = true;
    form.requestSubmit(button);
  }
});
byId("view-preview").addEventListener("change", async () => {
  clearTimeout(pause);
  if (body.value.trim() && await preview()) say(said.dataset.previewed);
});

// Near its limit, the length of a field is also said.
for (const counter of form.querySelectorAll("[data-counts]")) {
  const field = byId(counter.dataset.counts);
  const max = Number(counter.dataset.max);
  let wait;
  field.addEventListener("input", () => {
    clearTimeout(wait);
    const left = max - Array.from(field.value).length;
    if (left > Math.min(max / 10, 100)) return;
    const text = left < 0 ? said.dataset.over : said.dataset.left;
    wait = setTimeout(() => say(text.replace("#", Math.abs(left))), 1000);
  });
}

// The tools put Markdown around what is selected, in a way that can be undone.
const put = (start, end, text, from, to) => {
  body.focus();
  body.setSelectionRange(start, end);
  // It is the only way to change a field that the browser can undo.
  if (!document.execCommand("insertText", false, text)) body.setRangeText(text);
  body.setSelectionRange(start + from, start + to);
  body.dispatchEvent(new Event("input", { bubbles: true }));
};
const around = (before, after) => {
  const { selectionStart: start, selectionEnd: end, value } = body;
  const text = value.slice(start, end);
  put(start, end, before + text + after, before.length, before.length + text.length);
};
const lines = (sign) => {
  const { selectionStart, selectionEnd, value } = body;
  const start = value.lastIndexOf("\n", selectionStart - 1) + 1;
  const text = value.slice(start, selectionEnd).replace(/^/gm, sign);
  put(start, selectionEnd, text, text.length, text.length);
};
const tools = {
  bold: () => around("**", "**"),
  italic: () => around("*", "*"),
  link: () => around("[", "](https://)"),
  heading: () => lines("## "),
  list: () => lines("- "),
  quote: () => lines("> "),
  code: () => {
    const text = body.value.slice(body.selectionStart, body.selectionEnd);
    if (text.includes("\n")) around("```\n", "\n```");
    else around("`", "`");
  },
};
const bar = byId("tools");
const buttons = [...bar.children];
bar.hidden = false;
const reach = (button) => {
  for (const other of buttons) other.tabIndex = other === button ? 0 : -1;
};
reach(buttons[0]);
for (const button of buttons) {
  button.addEventListener("click", () => tools[button.dataset.tool]());
  button.addEventListener("focus", () => reach(button));
}
bar.addEventListener("keydown", (event) => {
  const step = document.dir === "rtl" ? -1 : 1;
  const places = { ArrowRight: step, ArrowLeft: -step, Home: -Infinity, End: Infinity };
  const by = places[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const last = buttons.length - 1;
  const next = buttons.indexOf(document.activeElement) + by;
  const at = Math.abs(by) === 1 ? (next + buttons.length) % buttons.length : by < 0 ? 0 : last;
  buttons[at].focus();
});

// People press Enter in a line, and Ctrl+S, by habit. So these do not publish.
const publishes = save.value === "publish";
form.addEventListener("keydown", (event) => {
  if (!publishes || event.key !== "Enter" || event.target.tagName !== "INPUT") return;
  if (mac ? event.metaKey : event.ctrlKey) return;
  event.preventDefault();
  if (event.target.id === "title") body.focus();
});
addEventListener("keydown", (event) => {
  if (!(mac ? event.metaKey : event.ctrlKey) || event.altKey || event.shiftKey) return;
  const key = event.key.toLowerCase();
  const tool = { b: "bold", i: "italic", k: "link" }[key];
  if (event.target === body && tool) {
    event.preventDefault();
    tools[tool]();
  } else if (key === "enter" || key === "s") {
    event.preventDefault();
    if (key === "s" && publishes) {
      if (store() !== null) say(said.dataset.stored);
    } else {
      form.requestSubmit(save);
    }
  }
});
