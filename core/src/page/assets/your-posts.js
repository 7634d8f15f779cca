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
  return write(LIST, [{ at: Date.now(), ...entry }, ...others].slice(0, MOST));
};
// The post of an edit page, and its private link, where the page shows that.
const entryOf = (page) => {
  const { post: id, name, isDraft } = page.getElementById("your-posts").dataset;
  return { id, name, isDraft: isDraft !== undefined, edit: page.getElementById("edit-address")?.href };
};
// What is saved may have another name, and be a draft no more.
const update = (page) => {
  const { id, name, isDraft } = entryOf(page);
  if (isListed()) write(LIST, posts().map((entry) => entry.id === id ? { ...entry, name, isDraft } : entry));
};

// The private link, on the page where it is shown once.
const showLink = async (entry) => {
  const [{ show }] = await Promise.all([import(here.dataset.link), import(here.dataset.guard)]);
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

if (here.dataset.list) {
  const browser = { posts, forget, remembers, remember: (is) => write(SWITCH, is) };
  import(here.dataset.list).then(({ show }) => show(here, browser)).catch(() => {});
}

if (here.dataset.deleted !== undefined) forget(post);
if (document.getElementById("edit-address") && document.getElementById("form")) {
  const entry = entryOf(document);
  if (isListed() || remembers()) remember(entry);
  showLink(entry);
} else if (post && document.getElementById("form")) {
  update(document);
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
document.addEventListener("saved", (event) => update(event.detail));
// The form was sent without leaving its page. The next page shows the private link, once.
document.addEventListener("published", (event) => {
  const entry = entryOf(event.detail);
  if (remembers()) remember(entry);
  if (write(NEW, entry, session)) event.preventDefault();
});
