"""Checks what programs read: the feeds, the sitemap, and Open Graph and JSON-LD in the pages of posts. The
files are those of `pages_content.py`, in the current folder. JSON-LD is also written to `linked_data.ts`,
since schema-dts has schema.org's vocabulary as types of TypeScript.
"""

import glob
import json
import pathlib
import re
import sys
import urllib.request

import jsonschema
import lxml.etree
import lxml.html
import rnc2rng

FOLDER = pathlib.Path(__file__).parent
MODULES = pathlib.Path(sys.prefix) / "node_modules"

ATOM = "{http://www.w3.org/2005/Atom}"
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"
ADDRESS = r"https?://[^/]+/\S*"
TEXT = r"(?s).*\S.*"
# The properties that pages may have (ogp.me): how often at least and at most, and what they look like.
OPEN_GRAPH = {
    "og:type": (1, 1, "article"),
    "og:title": (1, 1, TEXT),
    "og:url": (1, 1, ADDRESS),
    "og:image": (1, 1, ADDRESS),
    "og:image:alt": (1, 1, TEXT),
    "og:description": (1, 1, TEXT),
    "og:site_name": (1, 1, TEXT),
    # The territory is left out where a post's language names none.
    "og:locale": (0, 1, "[a-z]{2,3}(_[A-Z]{2})?"),
    # A name, not a profile: authors have no page.
    "article:author": (0, 1, TEXT),
    "article:published_time": (1, 1, TIME),
    "article:modified_time": (1, 1, TIME),
    "article:tag": (0, 20, TEXT),
}
# schema.org requires nothing. This is what search engines want of a BlogPosting.
LINKED_DATA = {
    "headline": TEXT,
    "url": ADDRESS,
    "image": ADDRESS,
    "datePublished": TIME,
    "dateModified": TIME,
}


def check_atom(path):
    schema = rnc2rng.dumps(rnc2rng.load(str(FOLDER / "atom.rnc")))
    schema = lxml.etree.RelaxNG(lxml.etree.fromstring(schema.encode()))
    feed = lxml.etree.parse(path).getroot()
    schema.validate(feed)
    yield from schema.error_log
    # What RFC 4287 requires besides its schema.
    entries = feed.findall(f"{ATOM}entry")
    if not entries:
        yield "it has no entries"
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    if len(set(ids)) < len(ids):
        yield "two entries have the same id"
    for part in [feed, *entries]:
        name = part.findtext(f"{ATOM}id")
        if all(parent.find(f"{ATOM}author") is None for parent in [feed, part]):
            yield f"{name} has no author"
        links = [link.get("rel") for link in part.findall(f"{ATOM}link")]
        if links.count("alternate") != 1:
            yield f"{name} does not have one link to its page"
        if part is feed and links.count("self") != 1:
            yield "it does not have one link to itself"


def check_json_feed(path):
    schema = json.loads((MODULES / "jsonfeed-schema/schema-v1.1.json").read_text())
    feed = json.loads(pathlib.Path(path).read_text())
    validator = jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker())
    for error in validator.iter_errors(feed):
        yield f"{error.json_path}: {error.message}"
    ids = [item.get("id") for item in feed["items"]]
    if not ids or len(set(ids)) < len(ids):
        yield "it has no items, or two have the same id"


def check_sitemap(path):
    schema = lxml.etree.XMLSchema(lxml.etree.parse(MODULES / "sitemap/schema/sitemap.xsd"))
    schema.validate(lxml.etree.parse(path))
    yield from schema.error_log


def check_open_graph(path):
    page = lxml.html.parse(path, lxml.html.HTMLParser(encoding="utf-8"))
    found = {}
    for meta in page.xpath("//meta[@property]"):
        found.setdefault(meta.get("property"), []).append(meta.get("content"))
    for name in found.keys() - OPEN_GRAPH.keys():
        yield f"Open Graph has no {name}"
    for name, (least, most, pattern) in OPEN_GRAPH.items():
        values = found.get(name, [])
        if not least <= len(values) <= most:
            yield f"{name} is there {len(values)} times"
        for value in values:
            if not re.fullmatch(pattern, value):
                yield f"{name} is {value!r}"
    for image in found.get("og:image", []):
        try:
            with urllib.request.urlopen(image) as response:
                if not response.headers["Content-Type"].startswith("image/"):
                    yield f"og:image is no picture: {image}"
        except OSError as error:
            yield f"og:image is {image}: {error}"


def linked_data(path):
    page = lxml.html.parse(path, lxml.html.HTMLParser(encoding="utf-8"))
    [script] = page.xpath("//script[@type='application/ld+json']")
    return json.loads(script.text)


def check_linked_data(path):
    posting = linked_data(path)
    for name, pattern in LINKED_DATA.items():
        if not re.fullmatch(pattern, posting.get(name, "")):
            yield f"the JSON-LD's {name} is {posting.get(name)!r}"


CHECKS = {
    "*feed.atom": [check_atom],
    "*feed.json": [check_json_feed],
    "sitemap.xml": [check_sitemap],
    "post-*.html": [check_open_graph, check_linked_data],
}
faults = [
    f"{path}: {fault}"
    for pattern, checks in CHECKS.items()
    for path in sorted(glob.glob(pattern)) or sys.exit(f"there is no {pattern}")
    for check in checks
    for fault in check(path)
]
with open("linked_data.ts", "w", encoding="utf-8") as file:
    file.write('import type { BlogPosting, WithContext } from "schema-dts";\n')
    for number, path in enumerate(sorted(glob.glob("post-*.html"))):
        posting = json.dumps(linked_data(path), indent=2)
        file.write(f"// {path}\nexport const posting{number}: WithContext<BlogPosting> = {posting};\n")
sys.exit("\n".join(faults) or None)
