// What the editor does better with a script: preview, store what is typed, and send it. It works without all
// of this. What helps while typing is in typing.js.
const byId = (id) => document.getElementById(id);
const form = byId("form");
const body = byId("body");
// Without the script, a browser that goes back has what was typed. The script has its own store.
form.autocomplete = "off";

// Tells screen readers something.
const said = byId("said");
const say = (text) => {
  said.textContent = "";
  requestAnimationFrame(() => { said.textContent = text; });
};

// A line beside the buttons says what became of the text. It is also said where that matters.
const line = byId("state");
const state = (text, id = "") => {
  const part = document.createElement("span");
  Object.assign(part, { id, textContent: text });
  line.replaceChildren(part);
};
const unsent = (text) => {
  const isNew = line.textContent !== text;
  state(text);
  line.firstChild.className = "alarm";
  if (isNew) say(text);
};
// What the rest of the editor has to say stays in sight until the form is sent.
form.addEventListener("told", (event) => {
  clearTimeout(storing);
  store();
  state(event.detail);
  line.firstChild.className = "told";
  say(event.detail);
});
form.addEventListener("keep", () => {
  store();
  say(line.textContent);
});
// Dates are written as on the server's pages.
const { lang } = document.documentElement;
const locale = lang === "en" ? "en-GB" : lang || undefined;
const now = () => new Date().toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" });

// What is typed stays in this browser until it is saved. The API key does not.
const secrets = ["api_key"];
const fieldsOf = (form) => {
  const fields = Object.fromEntries(new FormData(form));
  for (const name of secrets) delete fields[name];
  return fields;
};
const typed = () => JSON.stringify(fieldsOf(form));
// Each form has a place of its own, so that two tabs do not write over each other.
const LEAST = 5;
const drafts = `handbill ${form.dataset.draft}`;
let place;
// A lock tells other tabs that the text at this place is open here.
const takePlace = () => {
  place = `${drafts} ${Date.now()}${Math.random().toString(36).slice(1)}`;
  navigator.locks?.request(place, () => new Promise(() => {})).catch(() => {});
};
takePlace();
// The browser may have no room, or store nothing at all.
const tried = (use) => {
  try {
    use(localStorage);
    return true;
  } catch {
    return false;
  }
};
// The author of a new post is the one of the last, unless the browser is to forget what was published.
const AUTHOR = `handbill author ${form.dataset.draft}`;
const author = byId("author");
const rememberAuthor = () => tried((storage) => {
  if (byId("remember")?.checked && author.value) storage.setItem(AUTHOR, author.value);
  else storage.removeItem(AUTHOR);
});
tried((storage) => {
  if (byId("remember") && !author.value) author.value = storage.getItem(AUTHOR) ?? "";
});
let opened = "unsaved" in form.dataset ? null : typed();

const forget = (name) => tried((storage) => storage.removeItem(name));
const isOurs = (name) => name === drafts || name.startsWith(`${drafts} `);
// All drafts of this form but the one at `place`, the latest first. Those of earlier releases have no time.
const stored = () => {
  const found = [];
  tried((storage) => {
    for (const name of Object.keys(storage)) {
      if (!isOurs(name) || name === place) continue;
      try {
        const draft = JSON.parse(storage.getItem(name));
        const fields = draft.fields ?? draft;
        if (typeof fields.body !== "string") continue;
        found.push({ name, fields, at: Math.min(draft.at ?? 0, Date.now()) });
      } catch {
        // Another program's.
      }
    }
  });
  return found.sort((one, other) => other.at - one.at);
};
const store = () => {
  const text = typed();
  if (text === opened) {
    forget(place);
    return true;
  }
  const draft = JSON.stringify({ at: Date.now(), fields: JSON.parse(text) });
  const put = (storage) => storage.setItem(place, draft);
  let isStored = tried(put);
  for (const old of isStored ? [] : stored().slice(LEAST).reverse()) {
    forget(old.name);
    if (isStored = tried(put)) break;
  }
  if (!isStored) unsent(said.dataset.unstored);
  // What went wrong stays in sight.
  else if (!line.querySelector(".alarm, .told")) state(said.dataset.stored.replace("#", now()));
  return isStored;
};

import(byId("offer").dataset.script).then(({ offerDrafts }) => offerDrafts({
  form, secrets, said, line, locale, state, say, typed, stored, store, forget, takePlace, tried,
  isTouched: () => typed() !== opened,
})).catch(() => {});

let leaves = false;
let publishedAt = null;
byId("delete")?.querySelector("form").addEventListener("submit", () => { leaves = true; forget(place); });
document.addEventListener("click", (event) => {
  if (event.target.id !== "drop") return;
  leaves = true;
  forget(place);
});
addEventListener("pageshow", () => {
  // Who goes back to a form that was published gets the post, not a second one.
  if (publishedAt) location.replace(publishedAt);
  leaves = false;
});
addEventListener("beforeunload", (event) => {
  if (!leaves && typed() !== opened) event.preventDefault();
});

// The server's pages have what is shown here: faults, what came in, and the preview.
const show = (page, id) => byId(id).replaceChildren(...page.getElementById(id).childNodes);
const inputs = () => form.querySelectorAll("input[type=text], [type=datetime-local][name], textarea, select");
const showFaults = (page) => {
  for (const field of inputs()) {
    const there = page.getElementById(field.id);
    field.ariaInvalid = there.ariaInvalid;
    field.setAttribute("aria-describedby", there.getAttribute("aria-describedby"));
    show(page, `${field.id}-fault`);
  }
  if (form.querySelector("details [aria-invalid=true]")) byId("settings").open = true;
};
const ask = async (address, fields, signal) => {
  const response = await fetch(address, {
    method: "POST", body: fields, signal, headers: { Accept: "text/html" },
  });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  // A browser focuses such a part only while a page loads.
  for (const part of page.querySelectorAll("[autofocus]")) part.removeAttribute("autofocus");
  return { response, page };
};

// The form is sent without leaving the page, so that whatever happens, the text stays where it is.
const WAIT = 30_000;
let isSending = false;
// Puts the text of the server's page into a field, and leaves the caret where it is.
const replace = (field, text) => {
  const { value, selectionStart, selectionEnd, scrollTop } = field;
  if (value === text) return;
  let same = 0;
  while (same < Math.min(value.length, text.length) && value[same] === text[same]) same += 1;
  const moved = (at) => at <= same ? at : Math.max(same, at + text.length - value.length);
  field.value = text;
  if (field.setSelectionRange) field.setSelectionRange(moved(selectionStart), moved(selectionEnd));
  field.scrollTop = scrollTop;
};
const arrive = async (response, page, sent) => {
  // What was typed while the form was on its way is not in the server's page.
  const isAsSent = [...inputs()].every((field) => field.value === sent.get(field.name));
  if (page.getElementById("published")) {
    clearTimeout(storing);
    if (isAsSent) forget(place);
    else store();
    rememberAuthor();
    leaves = true;
    // The post's own page has no secret in its address. A draft may have no such page, and without storage the private
    // link, if there is one, cannot be handed over.
    const read = page.getElementById("read");
    const published = new CustomEvent("published", { detail: page, cancelable: true });
    const isHandedOver = !page.getElementById("edit-address") || !document.dispatchEvent(published);
    publishedAt = read && isHandedOver && !page.getElementById("held") ? read.href : response.url;
    location.assign(publishedAt);
    return;
  }
  const there = page.getElementById("form");
  const refusal = page.getElementById("refusal");
  const isSaved = page.getElementById("saved") ?? page.getElementById("merged");
  const fields = there && fieldsOf(there);
  // Then what others changed is not in the form either.
  const hasMore = page.getElementById("merged") ?? page.getElementById("conflict");
  if (fields && (isAsSent || !hasMore)) {
    for (const field of form.querySelectorAll("[type=hidden]")) field.remove();
    form.prepend(...there.querySelectorAll("[type=hidden]"));
    const buttons = (page) => [...page.querySelectorAll(".bar > button")];
    const html = (page) => buttons(page).map((button) => button.outerHTML).join("");
    if (html(page) !== html(document)) {
      for (const button of buttons(document)) button.remove();
      form.querySelector(".bar").prepend(...buttons(page));
    }
    if (isAsSent) for (const field of inputs()) replace(field, fields[field.name]);
  }
  if (!fields || refusal) {
    unsent(refusal ? Array.from(refusal.children, (part) => part.textContent).join(". ") : said.dataset.refused);
    return;
  }
  showFaults(page);
  // A private link stays until the page is left.
  const box = isSaved && byId("link")?.parentNode;
  show(page, "news");
  if (box) byId("news").prepend(box);
  document.title = page.title;
  const heading = "main > h1";
  document.querySelector(heading).textContent = page.querySelector(heading).textContent;
  if (isSaved || hasMore) {
    show(page, "preview");
    show(page, "advice");
  }
  if (isSaved) {
    opened = JSON.stringify(fields);
    byId("saved")?.remove();
    document.dispatchEvent(new CustomEvent("saved", { detail: page }));
    line.replaceChildren();
    store();
    state(said.dataset.saved.replace("#", now()), "saved");
    say(line.textContent);
  } else {
    opened = null;
    line.replaceChildren();
    byId("view-write").checked = true;
    (byId("faults") ?? byId("conflict"))?.focus();
  }
};
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (isSending) return;
  isSending = true;
  const button = event.submitter ?? byId("save");
  clearTimeout(pause);
  asking?.abort();
  clearTimeout(storing);
  store();
  state(said.dataset.sending);
  const sent = new URLSearchParams(new FormData(form, button));
  try {
    const { response, page } = await ask(button.formAction, sent, AbortSignal.timeout(WAIT));
    await arrive(response, page, sent);
  } catch {
    unsent(said.dataset.offline);
  } finally {
    isSending = false;
  }
});

// The preview comes from the server, so that it shows exactly what will be published.
let pause, asking, faultsSaid = "";
const paused = () => {
  if (!line.querySelector(".alarm")) state(said.dataset.paused);
};
const preview = async () => {
  asking?.abort();
  asking = new AbortController();
  const sent = new URLSearchParams(new FormData(form));
  for (const name of secrets) sent.delete(name);
  sent.set("action", "preview");
  try {
    const { response, page } = await ask(byId("save").formAction, sent, asking.signal);
    if (!response.ok) {
      // Too many previews: the next one comes when there may be one.
      const wait = Number(response.headers.get("Retry-After"));
      paused();
      if (response.status === 429 && wait) pause = setTimeout(preview, 1000 * wait);
      return false;
    }
    showFaults(page);
    const faults = page.getElementById("faults");
    const article = page.querySelector("#preview article");
    // The last preview stays while the text is not valid. The last advice stays while any field is not valid.
    if (article) show(page, "preview");
    else byId("view-write").checked = true;
    if (faults) {
      const text = Array.from(faults.querySelectorAll("li"), (fault) => fault.textContent).join(" ");
      if (text !== faultsSaid) say(text);
      faultsSaid = text;
    } else {
      faultsSaid = "";
      show(page, "advice");
      // The browser checks the spelling in this language.
      for (const id of ["title", "body"]) byId(id).lang = byId("preview").querySelector("article").lang;
    }
    // Typing adds nothing to the summary. What was corrected leaves it.
    return faults ? page : true;
  } catch (error) {
    // What was typed over is asked for again.
    if (error.name === "AbortError") return true;
    paused();
    return false;
  }
};
const previewSoon = () => {
  clearTimeout(pause);
  pause = setTimeout(async () => {
    const shown = body.value.trim() && await preview();
    if (shown === true) byId("summary")?.replaceChildren();
    if (shown) form.dispatchEvent(new Event("previewed"));
  }, 400);
};
form.addEventListener("input", previewSoon);
let storing;
form.addEventListener("input", () => {
  clearTimeout(storing);
  storing = setTimeout(store, 300);
});
document.addEventListener("visibilitychange", () => {
  if (!leaves && typed() !== opened) store();
});
byId("view-preview").addEventListener("change", async () => {
  clearTimeout(pause);
  const shown = body.value.trim() ? await preview() : false;
  if (shown === true) {
    form.dispatchEvent(new CustomEvent("previewed", { detail: "tab" }));
    say(said.dataset.previewed);
  } else if (shown) {
    show(shown, "summary");
    byId("faults").focus();
  }
});

for (const { dataset } of [byId("tools"), byId("said"), byId("settings")]) import(dataset.script).catch(() => {});
