"""Fills a running service with posts of every kind, and saves each kind of page in each language, the feeds
and the sitemap into the current folder. `.ci/pages` then validates the files.
"""

import json
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

LANGUAGES = ["en", "fr"]

# All that Handbill's Markdown has. The pictures are below the first screen: they have no size, so they move what
# follows, which Lighthouse would see or not, depending on the time.
RICH = """\
A paragraph with *emphasis*, **strength**, ~~deletion~~, `code`, a [link](https://example.org/ "Its title"),
a bare address, https://example.org/?a=1&b=2, and a note.[^1] The note is referred to twice.[^1]

# The first heading

## The same heading

## The same heading

| left | centre | right | none |
|:-----|:------:|------:|------|
| a    | b      | c     | d    |

- [x] done
- [ ] open
  1. nested
  2. list

> A quotation.
>
> > In a quotation.

```rust
fn main() { println!("<script> & \\"quotes\\""); } // A comment.
```

```python
print(f"{1 + 1}")  # A comment.
```

    Indented code.

![A picture](PICTURE "The title of the figure")

---

نص من اليمين إلى اليسار.

Text in a line\\
and in the next. ![](PICTURE) ![A refused picture](http://example.org/a.png)

[^1]: The text of the note, with *emphasis*.
"""

# The text of a post on another site. Its tasks have no labels, since the API's HTML has no words of its own.
EMBEDDED = """\
<!doctype html>
<html lang="en">
<head><title>A post</title></head>
<body>
<!-- [html-validate-disable input-missing-label] -->
{html}
</body>
</html>
"""


class Site:
    def __init__(self, address):
        self.address = address
        self.key = self.call("POST", "/api/keys", {})["api_key"]

    def request(self, method, path, body=None, headers=()):
        """Returns the status and the text of a response. Redirects are followed."""
        address = urllib.parse.urljoin(self.address, path)
        request = urllib.request.Request(address, body, dict(headers), method=method)
        try:
            with urllib.request.urlopen(request) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def call(self, method, path, fields=None, **headers):
        """Calls the API, which has to succeed."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        body = None
        if fields is not None:
            body, headers["Content-Type"] = json.dumps(fields).encode(), "application/json"
        status, text = self.request(method, path, body, headers)
        if status >= 300:
            sys.exit(f"{method} {path}: {status} {text}")
        return json.loads(text) if text else None

    def publish(self, **fields):
        return self.call("POST", "/api/posts", fields, X_Api_Key=self.key)

    def save(self, name, path, status=200, form=None):
        """Saves a response. With a form, it is the response to the form."""
        body = None if form is None else urllib.parse.urlencode(form).encode()
        headers = {"Accept": "text/html, */*;q=0.5"}
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        method = "GET" if form is None else "POST"
        found, text = self.request(method, path, body, headers)
        if found != status:
            sys.exit(f"{method} {path}: {found} instead of {status}: {text}")
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)


def path_of(url):
    return urllib.parse.urlsplit(url).path


def api_path_of(post):
    return path_of(post["url"]).replace("/p/", "/api/posts/")


site = Site(sys.argv[1])
for number in range(25):
    site.publish(title=f"Post {number}", body="A *plain* post.", tags="travel, a b")
note = site.publish(body="A note without a title. It has two sentences.")
_, page = site.request("GET", path_of(note["url"]))
picture = path_of(re.search('og:image" content="([^"]+)"', page)[1])
body = RICH.replace("PICTURE", picture)
rich = site.publish(
    title='Everything & <more> "quoted"',
    body=body,
    tags=["travel", "été", "سفر"],
    focus_keyword="everything",
    author="Ann Example",
    language="en-GB",
)
unlisted = site.publish(title="Unlisted", body="Not in any list.", visibility="unlisted")
arabic = site.publish(title="مرحبا", body="نص قصير.", tags="سفر", language="ar", author="آن")
many_tags = site.publish(title="Many tags", body="x", tags=[f"tag {n}" for n in range(20)])
deleted = site.publish(title="Deleted", body="It is deleted.")
site.call("DELETE", api_path_of(deleted), X_Edit_Token=deleted["edit_token"])

edit = path_of(rich["edit_url"])
fields = {"title": "Everything", "body": body, "tags": "travel", "focus_keyword": "all"}
too_long = {**fields, "title": "x" * 201, "language": "none of them", "body": ""}
# The pages that links lead to, from the first one on. So a new page is among them.
linked = ["/"]
for path in linked:
    _, page = site.request("GET", path, headers={"Accept": "text/html"})
    for address in re.findall('<a [^>]*href="([^"#?]+)', page):
        to = path_of(address) if address.startswith(site.address) else address
        if re.fullmatch("/(?!api/|p/)[a-z/]*", to) and to not in linked:
            linked.append(to)
pages = {path.strip("/").replace("/", "-") or "front": (path,) for path in linked}
pages |= {
    "page-2": ("/?page=2",),
    "past-the-end": ("/?page=99",),
    "tag": ("/?tag=travel",),
    "unused-tag": ("/?tag=nowhere",),
    "tags-by-posts": ("/tags?sort=posts",),
    "follow-tag": ("/follow?tag=travel",),
    "post-rich": (path_of(rich["url"]),),
    "post-note": (path_of(note["url"]),),
    "post-unlisted": (path_of(unlisted["url"]),),
    "post-arabic": (path_of(arabic["url"]),),
    "post-many-tags": (path_of(many_tags["url"]),),
    "write-preview": ("/write", 200, {**fields, "action": "preview"}),
    "write-faulty": ("/write", 422, too_long),
    "write-published": ("/write", 200, fields),
    "edit": (edit,),
    "edit-preview": (edit, 200, {**fields, "action": "preview"}),
    "edit-faulty": (edit, 422, too_long),
    "edit-conflict": (edit, 412, {**fields, "revision": 0}),
    "edit-unconfirmed": (edit, 422, {"action": "delete"}),
    "keys-faulty": ("/keys", 422, {"label": "x" * 101}),
    "keys-issued": ("/keys", 200, {"label": "validators"}),
    "not-found": ("/nowhere", 404),
    "gone": (path_of(deleted["url"]), 410),
    "bad-request": ("/?page=none", 400),
}
for name, (path, *expected) in pages.items():
    for language in LANGUAGES:
        sign = "&" if "?" in path else "?"
        site.save(f"{name}.{language}.html", f"{path}{sign}lang={language}", *expected)
# A post as other sites show it.
html = site.call("GET", api_path_of(rich))["html"]
with open("embedded.html", "w", encoding="utf-8") as file:
    file.write(EMBEDDED.format(html=html))
for name in ["feed.atom", "feed.json"]:
    site.save(name, f"/{name}")
    site.save(f"tag.{name}", f"/{name}?tag=travel")
site.save("sitemap.xml", "/sitemap.xml")
# The pages that Lighthouse visits.
print("/", path_of(rich["url"]), "/tags", "/docs", "/follow", "/write")
