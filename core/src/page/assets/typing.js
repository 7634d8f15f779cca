// What helps while typing: tools that write Markdown in a way that can be undone, lists that go on by themselves, pasted
// text that becomes Markdown, shortcuts, and a preview that follows the caret.
const form = document.getElementById("form");
const body = document.getElementById("body");
const bar = document.getElementById("tools");
const mac = navigator.platform.startsWith("Mac");
const tell = (text) => form.dispatchEvent(new CustomEvent("told", { detail: text }));

// Replaces a part of the text, and selects a part of the new one.
const put = (start, end, text, from = text.length, to = from) => {
  if (text === "" && start === end) return;
  body.focus();
  body.setSelectionRange(start, end);
  // It is the only way to change a field that the browser can undo.
  const isPut = text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text);
  if (!isPut) body.setRangeText(text, start, end, "end");
  body.setSelectionRange(start + from, start + to);
  body.dispatchEvent(new Event("input", { bubbles: true }));
};
// What is selected, without the spaces around it: Markdown has signs beside the words.
const selected = () => {
  const { selectionStart, selectionEnd, value } = body;
  const text = value.slice(selectionStart, selectionEnd);
  const start = selectionStart + text.length - text.trimStart().length;
  return { start, end: Math.max(start, selectionStart + text.trimEnd().length), value };
};

// How many of these signs a text ends or begins with. One star is italic, two are bold, three are both.
const signs = (text, sign, from, step) => {
  let count = 0;
  while (text[from + count * step] === sign) count += 1;
  return count;
};
const trailing = (text, sign) => signs(text, sign, text.length - 1, -1);
const leading = (text, sign) => signs(text, sign, 0, 1);
const around = (sign) => {
  const { start, end, value } = selected();
  const { length } = sign;
  const text = value.slice(start, end);
  const isAround = trailing(value.slice(0, start), sign[0]) & leading(value.slice(end), sign[0]) & length;
  const isInside = text.length > 2 * length && leading(text, sign[0]) & trailing(text, sign[0]) & length;
  // At the end of what has the signs, the caret steps over them.
  const isAtEnd = start === end && /\S$/.test(value.slice(0, start)) && leading(value.slice(end), sign[0]) & length;
  if (isAround) put(start - length, end + length, text, 0, text.length);
  else if (isAtEnd) body.setSelectionRange(end + length, end + length);
  else if (isInside) put(start, end, text.slice(length, -length), 0, text.length - 2 * length);
  else put(start, end, sign + text + sign, length, length + text.length);
};
const lineStart = (at) => at === 0 ? 0 : body.value.lastIndexOf("\n", at - 1) + 1;
const wholeLines = () => {
  const { selectionStart, selectionEnd, value } = body;
  const end = value.indexOf("\n", selectionEnd);
  return { start: lineStart(selectionStart), end: end < 0 ? value.length : end, value };
};
const lines = (sign, any) => {
  const { start, end, value } = wholeLines();
  const old = value.slice(start, end).split("\n");
  const isUsed = (line) => line.trim() !== "" || old.length === 1;
  const areAll = old.filter(isUsed).every((line) => any.test(line));
  const changed = (line) => `${areAll ? "" : sign}${line.replace(any, "")}`;
  put(start, end, old.map((line) => isUsed(line) ? changed(line) : line).join("\n"));
};
const fence = () => {
  const { start, end, value } = wholeLines();
  const text = value.slice(start, end);
  const [before, after] = [value.slice(0, start), value.slice(end)];
  if (before.endsWith("```\n") && after.startsWith("\n```")) put(start - 4, end + 4, text, 0, text.length);
  else put(start, end, `\`\`\`\n${text}\n\`\`\``, 4, 4 + text.length);
};
const ADDRESS = /^https?:\/\/\S+$/;
const PICTURE = /^https:\/\/[^\s?#()]+\.(?:avif|gif|jpe?g|png|webp)(?:[?#][^\s()]*)?$/i;
// Of a link, what comes after its text.
const TARGET = /^\]\([^()\s]*\)/;
const link = () => {
  const { start, end, value } = selected();
  const text = value.slice(start, end);
  const before = /\[([^[\]]*)\]\($/.exec(value.slice(0, start));
  const after = TARGET.exec(value.slice(end));
  if (before && value[end] === ")") put(start - before[0].length, end + 1, before[1], 0, before[1].length);
  else if (after && value[start - 1] === "[") put(start - 1, end + after[0].length, text, 0, text.length);
  else if (ADDRESS.test(text)) put(start, end, `[](${text})`, 1);
  else if (text) put(start, end, `[${text}](https://)`, text.length + 3, text.length + 11);
  else put(start, end, "[](https://)", 1);
};
const picture = document.getElementById("picture");
const [place, alternative] = picture.querySelectorAll("input");
const askForPicture = () => {
  const { start, end, value } = selected();
  picture.querySelector("form").reset();
  picture.returnValue = "";
  alternative.value = value.slice(start, end);
  picture.showModal();
};
picture.addEventListener("close", () => {
  const { start, end } = selected();
  // A bracket would end the text, and a space the address.
  const text = alternative.value.replace(/[[\]\\]/g, "\\$&").replace(/\s+/g, " ");
  if (picture.returnValue) put(start, end, `![${text}](${new URL(place.value).href.replace(/[()]/g, encode)})`);
});
const encode = (sign) => `%${sign.charCodeAt(0).toString(16)}`;
const tools = {
  bold: () => around("**"),
  italic: () => around("*"),
  link: () => link(),
  picture: () => askForPicture(),
  heading: () => lines("## ", /^#{1,6} /),
  list: () => lines("- ", /^[-*+] /),
  quote: () => lines("> ", /^> ?/),
  code: () => {
    if (body.value.slice(body.selectionStart, body.selectionEnd).includes("\n")) fence();
    else around("`");
  },
};
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

// A list goes on in the next line. An empty item ends it.
const ITEM = /^([\s>]*)(?:([-*+])|(\d{1,9})([.)]))(\s+)(\[[ xX]\]\s+)?/;
const isInCode = (text) => (text.match(/^(```|~~~)/gm) ?? []).length % 2 === 1;
const goOn = (event) => {
  const { selectionStart: at, selectionEnd, value } = body;
  const start = lineStart(at);
  const line = value.slice(start, at);
  const item = ITEM.exec(line);
  if (at !== selectionEnd || !item || isInCode(value.slice(0, start))) return;
  event.preventDefault();
  const [all, indent, bullet, number, dot, space, task] = item;
  const isEmpty = line === all && !/^[^\n]/.test(value.slice(at));
  if (isEmpty) put(start, at, "\n");
  else put(at, at, `\n${indent}${bullet ?? Number(number) + 1 + dot}${space}${task ? "[ ] " : ""}`);
};
body.addEventListener("keydown", (event) => {
  if (event.isComposing || event.altKey || event.shiftKey) return;
  const isCommand = mac ? event.metaKey : event.ctrlKey;
  const tool = isCommand && { b: "bold", i: "italic", k: "link" }[event.key.toLowerCase()];
  if (tool) {
    event.preventDefault();
    tools[tool]();
  } else if (event.key === "Enter" && !isCommand) {
    goOn(event);
  }
});

// An address that is pasted on words makes a link of them. Other text with a format becomes Markdown; the library that
// does it is loaded only then.
const FORMAT = /<(?:a\s[^<>]*\bhref=|(?:b|strong|em|i|s|del|h[1-6]|[uo]l|blockquote|pre|table|img)[\s>])|mso-list|font-weight:\s*[67]00/i;
const MOST = 200_000;
const pasteText = (text) => put(body.selectionStart, body.selectionEnd, text);
const pasteAddress = (event, address) => {
  const { start, end, value } = selected();
  const words = value.slice(start, end);
  if (!words && PICTURE.test(address) && value[start - 1] !== "(") {
    event.preventDefault();
    put(start, end, `![](${address})`, 2);
  }
  if (!words || words.includes("\n") || /^https?:\/\//.test(words)) return;
  event.preventDefault();
  const old = value[start - 1] === "[" && TARGET.exec(value.slice(end));
  if (old) put(end, end + old[0].length, `](${address})`);
  else put(start, end, `[${words}](${address})`);
};
body.addEventListener("paste", async (event) => {
  const data = event.clipboardData;
  const [text, html] = [data.getData("text/plain"), data.getData("text/html")];
  if (ADDRESS.test(text.trim())) {
    pasteAddress(event, text.trim());
    return;
  }
  if (!text && !html) {
    if (data.files.length) refuse(event);
    return;
  }
  if (!FORMAT.test(html.slice(0, MOST)) || isInCode(body.value.slice(0, body.selectionStart))) return;
  event.preventDefault();
  if (html.length > MOST) {
    pasteText(text);
    tell(bar.dataset.long);
    return;
  }
  let made = text;
  try {
    const { toMarkdown } = await import(bar.dataset.paste);
    const { default: Turndown } = await import(bar.dataset.turndown);
    made = toMarkdown(Turndown, html) || text;
  } catch {
    // The text without its format is better than none.
  }
  if (made) pasteText(made);
  else tell(bar.dataset.file);
});
// Pictures cannot be stored here. Without this, the browser would leave the page and open the file.
const refuse = (event) => {
  event.preventDefault();
  tell(bar.dataset.file);
};
for (const name of ["dragover", "drop"]) {
  document.addEventListener(name, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    if (name === "drop") refuse(event);
    else event.preventDefault();
  });
}

// Back from the preview, a writer goes on at the caret. The keyboard's focus stays on the tabs.
let last = body;
form.addEventListener("focusout", ({ target }) => { if (target.matches(".page")) last = target; });
document.getElementById("view-write").parentElement.addEventListener("click", ({ detail }) => {
  if (detail) setTimeout(() => last.focus());
});

// A field that is missing, or that a link leads to, may be on the other tab.
const showFields = () => { document.getElementById("view-write").checked = true; };
form.addEventListener("invalid", showFields, true);
document.addEventListener("click", (event) => {
  const link = event.target.closest("#faults a, .bar a");
  if (!link) return;
  showFields();
  if (link.hash === "#language") document.getElementById("settings").open = true;
});
// People press Enter in a line by habit. That does not publish.
form.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (key !== "Enter" || event.isComposing || event.metaKey || event.ctrlKey) return;
  const isTitle = target.id === "title";
  if (!isTitle && (target.tagName !== "INPUT" || document.getElementById("save").value !== "publish")) return;
  event.preventDefault();
  if (isTitle) body.focus();
});
// A title is one line, whatever is pasted.
form.addEventListener("input", ({ target }) => {
  if (target.id === "title" && /[\r\n]/.test(target.value)) target.value = target.value.replace(/[\r\n]+/g, " ");
});
// Ctrl+Enter sends the form. Ctrl+S is a habit, so it does not publish.
addEventListener("keydown", (event) => {
  if (!(mac ? event.metaKey : event.ctrlKey) || event.altKey || event.shiftKey) return;
  const key = event.key.toLowerCase();
  if (key === "enter" || key === "s") {
    event.preventDefault();
    const save = document.getElementById("save");
    const draft = document.getElementById("save-draft");
    if (key === "enter" || save.value === "save") form.requestSubmit(save);
    else if (save.name === "as") form.requestSubmit(draft);
    else form.dispatchEvent(new Event("keep"));
  }
});

// The language is seen beside the buttons. Until it is chosen, it follows the script of what is typed: the browser
// knows which language is the likely one in each script, and its user's own languages go first.
const language = document.getElementById("language");
const chosen = document.querySelector("#chosen-language bdi");
const atFirst = language.value;
const showLanguage = () => {
  const { value } = language;
  chosen.textContent = value;
  try {
    const name = new Intl.DisplayNames(document.documentElement.lang, { type: "language" }).of(value);
    if (name.toLowerCase() !== value.toLowerCase()) chosen.textContent = name;
  } catch {
    // It is a name already.
  }
};
const scriptOf = (tag) => new Intl.Locale(tag).maximize().script;
const lettersOf = (name) => {
  try {
    return new RegExp(`\\p{Script=${name}}`, "gu");
  } catch {
    return null;
  }
};
let scripts;
const knownScripts = () => {
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const names = letters.flatMap((first) => letters.map((second) => scriptOf(first + second)));
  // These are parts of how a language is written.
  const all = new Set([...names, "Hang", "Hani", "Hira", "Kana"]);
  return [...all].map((name) => ({ name, letters: lettersOf(name) })).filter(({ letters }) => letters);
};
const guess = (text) => {
  if (!/[^\p{Script=Latin}\P{Letter}]/u.test(text)) return atFirst;
  scripts ??= knownScripts();
  const counts = Object.fromEntries(scripts.map(({ name, letters }) => [name, text.match(letters)?.length ?? 0]));
  // Japanese has characters of Chinese between its own.
  if (counts.Hira + counts.Kana) [counts.Hira, counts.Hani] = [counts.Hira + counts.Kana + counts.Hani, 0];
  const [script] = Object.keys(counts).sort((one, other) => counts[other] - counts[one]);
  if (script === "Latn") return atFirst;
  const own = navigator.languages.find((tag) => scriptOf(tag) === script);
  return new Intl.Locale(own ?? `und-${script}`).maximize().language;
};
// What was chosen, or came back with a draft, is no guess.
let guessed = "guessesLanguage" in form.dataset && language.value;
form.addEventListener("input", () => {
  const text = `${document.getElementById("title").value} ${body.value.slice(0, 2000)}`;
  if (language.value === guessed) guessed = language.value = guess(text);
  showLanguage();
});
showLanguage();

// The preview shows what the caret is in: beside the text in its own pane, and on a tab by where the page is.
form.addEventListener("previewed", ({ detail }) => {
  const pane = document.getElementById("preview");
  const lines = pane.querySelector("[data-lines]")?.dataset.lines.split(" ").map(Number);
  if (!lines) return;
  const line = body.value.slice(0, body.selectionEnd).split("\n").length - 1;
  const place = Math.max(0, lines.findLastIndex((first) => first <= line));
  const element = pane.querySelector(".text").children[place];
  if (detail === "tab") element?.scrollIntoView({ block: "center" });
  if (!element || pane.scrollHeight <= pane.clientHeight) return;
  const block = element.getBoundingClientRect();
  const next = lines[place + 1] ?? body.value.split("\n").length;
  const inside = (line - lines[place]) / Math.max(1, next - lines[place]);
  const { top, height } = pane.getBoundingClientRect();
  const at = block.top + inside * block.height - top;
  if (at < 0.1 * height || at > 0.8 * height) pane.scrollTop += at - 0.4 * height;
});

// What was done is said once.
if (document.querySelector("#saved, #published, #renewed")) {
  const here = new URL(location.href);
  for (const name of ["saved", "published", "renewed"]) here.searchParams.delete(name);
  history.replaceState(null, "", here);
  form.addEventListener("input", () => document.getElementById("saved")?.classList.add("past"), { once: true });
}
