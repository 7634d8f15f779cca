// What the editor does better with a script: preview, store what is typed, and send it. It works without all
// of this. What helps while typing is in typing.js.
const byId = (id) => document.getElementById(id);
const form = byId("form");
const body = byId("body");
const save = byId("save");

// Tells screen readers something.
const said = byId("said");
const say = (text) => {
  said.textContent = "";
  requestAnimationFrame(() => { said.textContent = text; });
};

document.addEventListener("click", (event) => {
  // The field is on the other tab.
  if (event.target.closest("#faults") && event.target.hash) byId("view-write").checked = true;
});

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
// What helps while typing comes with the first use of the form.
const loadTyping = () => import(byId("tools").dataset.typing).catch(() => {});
if (form.matches(":focus-within")) loadTyping();
else form.addEventListener("focusin", loadTyping, { once: true });
// What it has to say, and when the text is to be stored.
form.addEventListener("told", (event) => {
  clearTimeout(storing);
  store();
  state(event.detail);
  say(event.detail);
});
form.addEventListener("keep", () => {
  store();
  say(line.textContent);
});
const now = () => new Date().toLocaleTimeString(document.documentElement.lang || undefined,
  { hour: "2-digit", minute: "2-digit" });

// What was done is said once.
if (byId("saved") ?? byId("published") ?? byId("renewed")) {
  const here = new URL(location.href);
  for (const name of ["saved", "published", "renewed"]) here.searchParams.delete(name);
  history.replaceState(null, "", here);
  form.addEventListener("input", () => byId("saved")?.classList.add("past"), { once: true });
}

// What is typed stays in this browser until it is saved. The API key does not.
const secrets = ["api_key"];
const fieldsOf = (form) => {
  const fields = Object.fromEntries(new FormData(form));
  for (const name of secrets) delete fields[name];
  return fields;
};
const typed = () => JSON.stringify(fieldsOf(form));
let opened = "unsaved" in form.dataset ? null : typed();

// Each form has a place of its own, so that two tabs do not write over each other.
const DAYS = 30, LEAST = 5, MOST = 20;
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
  else if (!line.querySelector(".alarm")) state(said.dataset.stored.replace("#", now()));
  return isStored;
};

// Texts that were left over are offered at the top. Those that are ignored stay.
const offer = byId("offer");
const isOpenElsewhere = async () => {
  const locks = await navigator.locks?.query().catch(() => null);
  const held = new Set(locks?.held.map((lock) => lock.name));
  return (draft) => held.has(draft.name);
};
const offerDrafts = async () => {
  const isOpen = await isOpenElsewhere();
  const left = stored().filter((draft) => !isOpen(draft) && JSON.stringify(draft.fields) !== typed());
  const tooOld = Date.now() - DAYS * 86_400_000;
  const fresh = left.filter((draft, number) => number < MOST && (draft.at === 0 || draft.at > tooOld));
  for (const draft of left) if (!fresh.includes(draft)) forget(draft.name);
  offer.hidden = fresh.length === 0;
  offer.querySelector("ul").replaceChildren(...fresh.map(offered));
};
const offered = (draft) => {
  const item = document.createElement("li");
  const add = (name, text, properties) => {
    const part = document.createElement(name);
    Object.assign(part, { textContent: text }, properties);
    item.append(part, " ");
    return part;
  };
  const { title, body: text } = draft.fields;
  const words = text.trim().split(/\s+/);
  const first = title || words.slice(0, 8).join(" ");
  add("strong", first.slice(0, 80), { dir: "auto" });
  const parts = [said.dataset.words.replace("#", words.length)];
  const format = new Intl.DateTimeFormat(document.documentElement.lang || undefined,
    { weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" });
  if (draft.at) parts.unshift(format.format(draft.at));
  add("span", parts.join(" · "), { className: "muted" });
  const buttons = { type: "button" };
  add("button", offer.dataset.restore, { ...buttons, className: "restore" })
    .addEventListener("click", () => restore(draft));
  add("button", offer.dataset.discard, { ...buttons, className: "discard quiet" })
    .addEventListener("click", () => {
      forget(draft.name);
      offerDrafts();
      body.focus();
    });
  return item;
};
const settings = () => Array.from(byId("settings").querySelectorAll("input, select"), (field) => field.value).join("\n");
const restore = (draft) => {
  const before = settings();
  // What was typed here meanwhile is offered in turn.
  if (typed() !== opened) {
    store();
    takePlace();
  }
  for (const [name, value] of Object.entries(draft.fields)) {
    const field = form.elements.namedItem(name);
    // What the form remembers of the post comes back too, so that nothing is overwritten.
    if (field && !secrets.includes(name)) field.value = value;
  }
  if (store()) forget(draft.name);
  // Nothing that came back is out of sight.
  if (settings() !== before) byId("settings").open = true;
  for (const field of form.elements) field.dispatchEvent(new Event("input", { bubbles: true }));
  offerDrafts();
  say(said.dataset.restored);
  body.focus();
};
offerDrafts();

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
const inputs = () => form.querySelectorAll("input[type=text], textarea, select");
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
    leaves = true;
    // The post's own page has no secret in its address. A draft may have no such page, and without storage the private
    // link, if there is one, cannot be handed over.
    const read = page.getElementById("read");
    await import(byId("your-posts").dataset.script).catch(() => {});
    const published = new CustomEvent("published", { detail: page, cancelable: true });
    const isHandedOver = !page.getElementById("edit-address") || !document.dispatchEvent(published);
    publishedAt = read && isHandedOver ? read.href : response.url;
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
    const button = page.getElementById("save");
    Object.assign(save, { value: button.value, textContent: button.textContent });
    save.setAttribute("formaction", button.getAttribute("formaction"));
    if (isAsSent) for (const field of inputs()) replace(field, fields[field.name]);
  }
  if (!fields || refusal) {
    unsent(refusal ? refusal.innerText || refusal.textContent : said.dataset.refused);
    return;
  }
  showFaults(page);
  show(page, "news");
  document.title = page.title;
  if (isSaved) {
    opened = JSON.stringify(fields);
    byId("saved")?.remove();
    show(page, "preview");
    show(page, "advice");
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
// A field that is missing is on the other tab.
form.addEventListener("invalid", () => { byId("view-write").checked = true; }, true);
form.addEventListener("submit", async (event) => {
  if (event.submitter?.value === "preview") return;
  event.preventDefault();
  if (isSending) return;
  isSending = true;
  clearTimeout(pause);
  asking?.abort();
  clearTimeout(storing);
  store();
  state(said.dataset.sending);
  const sent = new URLSearchParams(new FormData(form, save));
  try {
    const { response, page } = await ask(save.formAction, sent, AbortSignal.timeout(WAIT));
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
    const { response, page } = await ask(save.formAction, sent, asking.signal);
    if (!response.ok) {
      // Too many previews: the next one comes when there may be one.
      const wait = Number(response.headers.get("Retry-After"));
      paused();
      if (response.status === 429 && wait) pause = setTimeout(preview, 1000 * wait);
      return false;
    }
    showFaults(page);
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
      // The browser checks the spelling in this language.
      const { lang } = byId("preview").querySelector("article");
      for (const id of ["title", "body"]) byId(id).lang = lang;
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
    if (!body.value.trim() || await preview() !== true) return;
    byId("summary")?.replaceChildren();
    form.dispatchEvent(new Event("previewed"));
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
form.querySelector("[value=preview]").addEventListener("click", async (event) => {
  event.preventDefault();
  clearTimeout(pause);
  const shown = await preview();
  if (shown === true) {
    byId("view-preview").checked = true;
    byId("preview").scrollIntoView({ block: "nearest" });
    say(said.dataset.previewed);
  } else if (shown) {
    show(shown, "summary");
    byId("view-write").checked = true;
    byId("faults").focus();
  }
});
byId("view-preview").addEventListener("change", async () => {
  clearTimeout(pause);
  if (body.value.trim() && await preview() === true) say(said.dataset.previewed);
});

// People press Enter in a line by habit. That does not publish.
form.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (save.value !== "publish" || key !== "Enter" || target.tagName !== "INPUT") return;
  if (event.isComposing || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  if (target.id === "title") body.focus();
});
