// The private link of a post, with what one can do to keep it.
export const show = ({ id, name, edit }, isRemembered, forget) => {
  const link = document.getElementById("edit-address");
  Object.assign(link, { href: edit, textContent: edit });
  const text = `${name}\n${edit}\n`;
  const email = document.getElementById("email");
  email.href = `mailto:?subject=${encodeURIComponent(name)}&body=${encodeURIComponent(text)}`;
  const file = document.getElementById("download");
  file.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  file.download = `${id}.txt`;
  email.hidden = file.hidden = false;
  const remembered = document.getElementById("remembered");
  remembered.hidden = !isRemembered;
  // If the browser does not remember the link, nothing else has it. A renewed one is new everywhere.
  const box = document.getElementById("link");
  box.open = !isRemembered || box.closest("#renewed") !== null;
  remembered.querySelector("button").addEventListener("click", () => {
    forget();
    remembered.hidden = true;
    link.focus();
  });
};
