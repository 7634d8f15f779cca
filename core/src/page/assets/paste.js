// Makes Markdown of HTML that was copied in another program. Turndown does it; here is what word processors need first.
const make = (page, name, content) => {
  const made = page.createElement(name);
  made.append(...content);
  return made;
};
// Google Docs puts all it copies into one <b>, and says in styles what is bold.
const readStyles = (page) => {
  for (const part of page.querySelectorAll("b[data-style*='font-weight:normal'], b[data-style*='font-weight: normal']")) {
    part.replaceWith(...part.childNodes);
  }
  for (const part of page.querySelectorAll("span[data-style]")) {
    const style = part.dataset.style;
    const wrap = (name, pattern, inside) => {
      if (pattern.test(style) && !part.closest(inside)) part.replaceChildren(make(page, name, part.childNodes));
    };
    wrap("strong", /font-weight:\s*(bold|[6-9]00)/i, "b, strong, h1, h2, h3, h4, h5, h6, pre");
    wrap("em", /font-style:\s*italic/i, "i, em, pre");
  }
};
// Google Docs leads links through a page of its own.
const readLinks = (page) => {
  for (const link of page.querySelectorAll("a[href^='https://www.google.com/url?']")) {
    link.href = new URL(link.href).searchParams.get("q") ?? link.href;
  }
};
// Word writes the items of a list as paragraphs, each with its sign.
const readLists = (page) => {
  for (const part of page.querySelectorAll("p[data-style*='mso-list']")) {
    const sign = [...part.querySelectorAll("span[data-style]")].find((span) => /mso-list:\s*Ignore/i.test(span.dataset.style));
    const name = /\d/.test(sign?.textContent ?? "") ? "ol" : "ul";
    sign?.remove();
    const item = make(page, "li", part.childNodes);
    const list = part.previousElementSibling;
    if (list?.localName === name && list.dataset.word) {
      list.append(item);
      part.remove();
    } else {
      const made = make(page, name, [item]);
      made.dataset.word = "list";
      part.replaceWith(made);
    }
  }
};
const item = {
  filter: "li",
  replacement: (content, node) => {
    const list = node.parentNode;
    const place = [...list.children].indexOf(node);
    const sign = list.localName === "ol" ? `${Number(list.getAttribute("start") ?? 1) + place}. ` : "- ";
    const text = content.trim().replace(/\n/g, `\n${" ".repeat(sign.length)}`);
    return `${sign}${text}${node.nextElementSibling ? "\n" : ""}`;
  },
};
const cells = (row) => [...row.cells].map((cell) => cell.textContent.trim().replace(/\s+/g, " ").replace(/\|/g, "\\|"));
const table = {
  filter: "table",
  replacement: (_, node) => {
    const rows = [...node.rows].map(cells);
    const columns = Math.max(0, ...rows.map((row) => row.length));
    if (columns === 0) return "";
    const line = (row) => `| ${Array.from({ length: columns }, (_, place) => row[place] ?? "").join(" | ")} |`;
    return `\n\n${[line(rows[0]), line(Array(columns).fill("---")), ...rows.slice(1).map(line)].join("\n")}\n\n`;
  },
};
// A picture that is not on the web cannot be shown.
const image = {
  filter: (node) => node.localName === "img" && !node.getAttribute("src")?.startsWith("https:"),
  replacement: (_, node) => node.getAttribute("alt") ?? "",
};
const struck = { filter: ["s", "del", "strike"], replacement: (content) => `~~${content}~~` };

export const toMarkdown = (Turndown, html) => {
  // The page's policy forbids styles in HTML, even where they are only read.
  const readable = html.replace(/<[a-z][^<>]*>/gi, (tag) => tag.replace(/\sstyle=/gi, " data-style="));
  const page = new DOMParser().parseFromString(readable, "text/html");
  readStyles(page);
  readLinks(page);
  readLists(page);
  const turndown = new Turndown({
    headingStyle: "atx", bulletListMarker: "-", codeBlockStyle: "fenced", emDelimiter: "*", hr: "---",
  });
  turndown.remove(["script", "style", "title", "noscript"]);
  turndown.addRule("item", item).addRule("table", table).addRule("image", image).addRule("struck", struck);
  return turndown.turndown(page.body);
};
