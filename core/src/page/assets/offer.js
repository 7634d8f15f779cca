// The texts that were left over in this browser are offered at the top of the form. Those that are ignored stay.
const DAYS = 30, MOST = 20;

export const offerDrafts = async (editor) => {
  const { form, secrets, said, line, locale, state, say, typed, stored, store, forget, takePlace, tried, isTouched } = editor;
  const offer = document.getElementById("offer");
  const show = async () => {
    const locks = await navigator.locks?.query().catch(() => null);
    const open = new Set(locks?.held.map(({ name }) => name));
    const left = stored().filter((draft) => !open.has(draft.name) && JSON.stringify(draft.fields) !== typed());
    const tooOld = Date.now() - DAYS * 86_400_000;
    const fresh = left.filter((draft, number) => number < MOST && (draft.at === 0 || draft.at > tooOld));
    for (const draft of left) if (!fresh.includes(draft)) forget(draft.name);
    offer.hidden = fresh.length === 0;
    offer.querySelector("ul").replaceChildren(...fresh.map(offered));
  };
  const button = (text, className, press) => {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", textContent: text, className });
    made.addEventListener("click", press);
    return made;
  };
  const offered = (draft) => {
    const item = document.createElement("li");
    const add = (name, text, properties) => {
      const part = document.createElement(name);
      item.append(Object.assign(part, { textContent: text }, properties), " ");
    };
    const { title, body: text } = draft.fields;
    const words = text.trim().split(/\s+/);
    const first = title || words.slice(0, 8).join(" ");
    add("strong", first.slice(0, 80), { dir: "auto" });
    const { word: one, words: many } = said.dataset;
    const parts = [words.length === 1 ? one : many.replace("#", words.length)];
    const format = new Intl.DateTimeFormat(locale,
      { weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" });
    if (draft.at) parts.unshift(format.format(draft.at));
    add("span", parts.join(" · "), { className: "muted" });
    const discarded = button(offer.dataset.discard, "discard quiet", () => discard(draft));
    item.append(button(offer.dataset.restore, "restore", () => restore(draft)), " ", discarded);
    return item;
  };
  const discard = ({ name, at, fields }) => {
    forget(name);
    show();
    state(said.dataset.discarded);
    say(said.dataset.discarded);
    const undo = button(said.dataset.undo, "quiet", () => {
      tried((storage) => storage.setItem(name, JSON.stringify({ at, fields })));
      line.replaceChildren();
      show();
    });
    line.append(" ", undo);
    undo.focus();
  };
  const settings = document.getElementById("settings");
  const values = () => Array.from(settings.querySelectorAll("input, select"), (field) => field.value).join("\n");
  const restore = (draft) => {
    const before = values();
    // What was typed here meanwhile is offered in turn.
    if (isTouched()) {
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
    if (values() !== before) settings.open = true;
    for (const field of form.elements) field.dispatchEvent(new Event("input", { bubbles: true }));
    show();
    say(said.dataset.restored);
    form.elements.namedItem("body").focus();
  };
  await show();
};
