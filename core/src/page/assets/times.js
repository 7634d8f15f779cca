// The server has times in UTC. Here they are in the visitor's own zone.
const form = document.getElementById("form");
const { lang } = document.documentElement;
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
for (const part of form.querySelectorAll("[data-zone]")) part.textContent = zone;

const minutes = (date) => date.toISOString().slice(0, 16);
const utc = (text) => text && minutes(new Date(text));
const local = (text) => {
  if (!text) return "";
  const date = new Date(`${text}Z`);
  return minutes(new Date(date - date.getTimezoneOffset() * 60_000));
};
// The form sends UTC. The visitor sees a twin of its field.
for (const field of form.querySelectorAll("[type=datetime-local]")) {
  const twin = field.cloneNode();
  for (const name of ["id", "name"]) twin.removeAttribute(name);
  twin.ariaLabel = field.labels[0].textContent;
  Object.assign(field, { className: "unseen", tabIndex: -1, ariaHidden: "true" });
  field.after(twin);
  const follow = () => {
    // A part has no value yet.
    if (utc(twin.value) !== field.value) twin.value = local(field.value);
    twin.ariaInvalid = field.ariaInvalid;
    twin.setAttribute("aria-describedby", field.getAttribute("aria-describedby"));
  };
  follow();
  new MutationObserver(follow).observe(field, { attributes: true });
  field.addEventListener("input", follow);
  field.addEventListener("focus", () => twin.focus());
  twin.addEventListener("input", () => { field.value = utc(twin.value); });
}

const locale = lang === "en" ? "en-GB" : lang || undefined;
const format = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "short" });
const news = document.getElementById("news");
const show = () => {
  for (const time of news.querySelectorAll("time")) time.textContent = format.format(new Date(time.dateTime));
};
show();
new MutationObserver(show).observe(news, { childList: true });
