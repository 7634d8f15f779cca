// Runs before each document and records everything that runs or that the policy blocks.
(() => {
  const seen = [];
  Object.defineProperty(window, "seen", { value: seen, configurable: false });
  for (const name of ["alert", "confirm", "prompt", "print", "open"]) {
    Object.defineProperty(window, name, {
      value: (...said) => { seen.push(`${name}(${said})`); },
      configurable: false,
    });
  }
  document.addEventListener("securitypolicyviolation", (event) => {
    seen.push(`blocked by ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
  });

  // Finds everything in a document that could run or leave the page.
  Object.defineProperty(window, "inspect", { value: (page) => {
    const found = [];
    const own = new URL("/assets/", location.origin).href;
    for (const element of page.querySelectorAll("*")) {
      const name = element.localName;
      const isOwn = (name === "script" && (element.type === "application/ld+json" || element.src.startsWith(own)))
        || (name === "link" && (element.rel !== "stylesheet" || element.href.startsWith(own)))
        || (name === "meta" && element.httpEquiv === "")
        || (name === "form" && !element.closest(".text"));
      const active = ["script", "style", "link", "meta", "base", "form", "iframe", "frame", "object",
        "embed", "applet", "svg", "math", "template", "portal", "audio", "video", "source"];
      if (active.includes(name) && !isOwn) found.push(element.outerHTML);
      for (const attribute of element.attributes) {
        if (attribute.name.startsWith("on") || attribute.name === "style") found.push(element.outerHTML);
      }
      // An id of a post may not be one that a page or a script uses.
      if (element.id && element.closest(".text") && !/^(h|fn|fnref)-/.test(element.id)) found.push(element.outerHTML);
      for (const address of [element.href, element.src]) {
        if (address && !/^(https?|mailto):/.test(address)) found.push(element.outerHTML);
      }
      if (name === "script" && element.type === "application/ld+json") {
        try { JSON.parse(element.text); } catch (error) { found.push(`${error}: ${element.text}`); }
      }
    }
    return found;
  } });
})();
