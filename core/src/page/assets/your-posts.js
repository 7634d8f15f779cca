// The posts that were written in this browser, with their private links. The list is in this browser alone, and this
// script is the only one that reads or writes it.
const here = document.getElementById("your-posts");
const { root, post } = here.dataset;
const [LIST, SWITCH, NEW] = ["posts", "remember", "published"].map((name) => `handbill ${name} ${root}`);
const MOST = 500;
// The browser may store nothing at all.
const read = (name, storage = () => localStorage) => {
  try {
    return JSON.parse(storage().getItem(name));
  } catch {
    return null;
  }
};
const write = (name, value, storage = () => localStorage) => {
  try {
    storage().setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
};
const session = () => sessionStorage;
const posts = () => {
  const list = read(LIST);
  return Array.isArray(list) ? list.filter((entry) => entry?.id && entry.edit) : [];
};
const isListed = () => posts().some(({ id }) => id === post);
const forget = (id) => write(LIST, posts().filter((entry) => entry.id !== id));
const remembers = () => read(SWITCH) !== false;
const remember = (entry) => {
  const others = posts().filter((other) => other.id !== entry.id);
  return write(LIST, [entry, ...others].slice(0, MOST));
};
// The post of a page that shows its private link.
const entryOf = (page) => {
  const { post: id, name } = page.getElementById("your-posts").dataset;
  return { id, name, edit: page.getElementById("edit-address").href };
};

// The private link, on the page where it is shown once.
const showLink = async (entry) => {
  const [{ show }] = await Promise.all([import(here.dataset.link), import(here.dataset.once)]);
  show(entry, isListed(), () => {
    forget(entry.id);
    showEdit();
  });
};
const showEdit = () => {
  const link = document.getElementById("edit");
  const entry = posts().find(({ id }) => id === post);
  if (!link) return;
  link.hidden = !entry;
  if (entry) link.href = entry.edit;
};

const list = here.querySelector("ul");
const listed = (entry) => {
  const item = document.createElement("li");
  const add = (name, textContent, more) => {
    const part = Object.assign(document.createElement(name), { textContent, ...more });
    item.append(part, " ");
    return part;
  };
  const { edit, forget: words } = here.dataset;
  add("a", entry.name, { href: `${root}/p/${entry.id}`, dir: "auto" });
  add("a", edit, { href: entry.edit, ariaLabel: `${edit}: ${entry.name}` });
  add("button", words, { type: "button", className: "quiet", ariaLabel: `${words}: ${entry.name}` })
    .addEventListener("click", () => {
      forget(entry.id);
      showList();
      document.getElementById("remember").focus();
    });
  return item;
};
const showList = () => {
  list.replaceChildren(...posts().map(listed));
  list.hidden = !list.children.length;
};
if (list) {
  const box = document.getElementById("remember");
  box.checked = remembers();
  box.addEventListener("change", () => write(SWITCH, box.checked));
  here.hidden = !write(SWITCH, box.checked);
  showList();
}

if (here.dataset.deleted !== undefined) forget(post);
if (document.getElementById("published") ?? document.getElementById("renewed")) {
  const entry = entryOf(document);
  if (isListed() || remembers()) remember(entry);
  showLink(entry);
}
showEdit();
const notice = document.getElementById("new");
const published = read(NEW, session);
if (notice && published?.id === post) {
  notice.hidden = false;
  showLink(published).then(() => {
    sessionStorage.removeItem(NEW);
    notice.focus();
  });
}
// The form was sent without leaving its page. The next page shows the private link, once.
document.addEventListener("published", (event) => {
  const entry = entryOf(event.detail);
  if (remembers()) remember(entry);
  if (write(NEW, entry, session)) event.preventDefault();
});
