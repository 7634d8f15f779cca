// How much room is left in a field. It is shown, and said, when there is little of it.
"use strict";

const told = document.getElementById("said");
for (const counter of document.querySelectorAll("[data-counts]")) {
  const field = document.getElementById(counter.dataset.counts);
  const max = Number(counter.dataset.max);
  const most = counter.textContent;
  const { format } = new Intl.NumberFormat(document.documentElement.lang || undefined);
  const length = () => {
    // One line is trimmed before it is measured; a text is not.
    const text = field.id === "body" ? field.value : field.value.trim();
    return Array.from(text).length;
  };
  const count = () => {
    const isFar = length() < 0.8 * max;
    counter.textContent = isFar ? most : `${format(length())} / ${format(max)}`;
    counter.classList.toggle("far", isFar);
    counter.classList.toggle("over", length() > max);
  };
  count();
  field.addEventListener("input", count);
  let wait;
  field.addEventListener("input", () => {
    clearTimeout(wait);
    const left = max - length();
    if (left > Math.min(max / 10, 100)) return;
    const text = left < 0 ? told.dataset.over : told.dataset.left;
    wait = setTimeout(() => { told.textContent = text.replace("#", Math.abs(left)); }, 1000);
  });
}
