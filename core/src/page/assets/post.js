// What a post's page does better with a script: room for pictures, names of its neighbours, and sharing.
"use strict";

// A picture has some room until it comes. One that fails to load looks like its description.
for (const picture of document.querySelectorAll(".text img")) {
  const isAlone = picture.matches(":is(figure, .picture) > img");
  picture.classList.toggle("awaited", isAlone && !picture.complete);
  picture.classList.toggle("missing", picture.complete && !picture.naturalWidth);
  for (const name of ["load", "error"]) {
    picture.addEventListener(name, () => {
      picture.classList.remove("awaited");
      picture.classList.toggle("missing", name === "error");
    });
  }
}

// The page itself names no neighbours: it would change with each new post. A reader who comes to its end sees them.
const neighbours = document.getElementById("neighbours");
const showName = async (link) => {
  const response = await fetch(link.href, { headers: { Accept: "application/json" } });
  if (response.status === 204) link.style.visibility = "hidden";
  if (response.status !== 200) return;
  const { title, url } = await response.json();
  const named = document.createElement("bdi");
  named.textContent = title;
  link.href = url;
  link.append(": ", named);
};
const nameWhenSeen = new IntersectionObserver(([{ isIntersecting }]) => {
  if (!isIntersecting) return;
  nameWhenSeen.disconnect();
  for (const link of neighbours.querySelectorAll("[rel]")) showName(link).catch(() => {});
});
if (neighbours) nameWhenSeen.observe(neighbours);

// The button that hands the post to another program, where the browser can.
for (const button of navigator.share ? document.querySelectorAll("[data-share]") : []) {
  button.hidden = false;
  button.addEventListener("click", () => {
    navigator.share({ title: document.title, url: button.dataset.share }).catch(() => {});
  });
}
