// The rules that the pages follow, and why some are relaxed. `.ci/pages` uses this file.
const aligned = { attributes: { align: { enum: ["left", "center", "right"] } } };

export default {
  root: true,
  extends: ["html-validate:recommended", "html-validate:document"],
  elements: [
    "html5",
    // Markdown aligns the columns of a table. Posts are also shown by feed readers and on other sites, where a
    // class means nothing and a policy forbids `style`.
    { th: aligned, td: aligned },
  ],
  rules: {
    // The standard allows several ways to write these. The templates and the Markdown use one each.
    "attribute-boolean-style": "off",
    "doctype-style": ["error", { style: "lowercase" }],
    // A button without a type submits its form, as all such buttons here do.
    "no-implicit-button-type": "off",
    // A preview begins as the page of the post will. In the text, authors choose the headings.
    "heading-level": ["error", { sectioningRoots: ["#preview", ".text"] }],
    // Authors choose the titles.
    "long-title": "off",
    // A table that scrolls has this role, since `section` is the part with the footnotes.
    "prefer-native-element": ["error", { exclude: ["region"] }],
    // All files come from the same origin as the page.
    "require-sri": ["error", { target: "crossorigin" }],
  },
};
