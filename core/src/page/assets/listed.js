// The list of the posts that were written in this browser, and the switch for it.
export const show = (here, { posts, forget, remembers, remember }) => {
  const list = here.querySelector("ul");
  const box = document.getElementById("remember");
  const { root, edit, draft, forget: words } = here.dataset;
  const { lang } = document.documentElement;
  // Dates are written as on the server's pages.
  const locale = lang === "en" ? "en-GB" : lang || undefined;
  const listed = (entry) => {
    const item = document.createElement("li");
    const add = (name, textContent, more) => {
      const part = Object.assign(document.createElement(name), { textContent, ...more });
      item.append(part, " ");
      return part;
    };
    // A draft has no other page.
    add("a", entry.name, { href: entry.isDraft ? entry.edit : `${root}/p/${entry.id}`, dir: "auto" });
    add("a", edit, { href: entry.edit, ariaLabel: `${edit}: ${entry.name}` });
    add("button", words, { type: "button", className: "quiet", ariaLabel: `${words}: ${entry.name}` })
      .addEventListener("click", () => {
        forget(entry.id);
        showList();
        box.focus();
      });
    const day = entry.at && new Date(entry.at).toLocaleDateString(locale, { dateStyle: "long" });
    const about = [entry.isDraft && draft, day].filter(Boolean).join(" · ");
    if (about) add("span", about, { className: "muted" });
    return item;
  };
  const showList = () => {
    list.replaceChildren(...posts().map(listed));
    list.hidden = !list.children.length;
  };
  box.checked = remembers();
  box.addEventListener("change", () => remember(box.checked));
  // The browser may store nothing at all.
  here.hidden = !remember(box.checked);
  showList();
};
