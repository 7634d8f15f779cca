"""Reads reports of Lighthouse, and fails unless accessibility, best practices and SEO are at 100."""

import json
import sys
import urllib.parse

CATEGORIES = ["accessibility", "best-practices", "seo"]
# Performance is printed only, since it depends on what else the machine does. Of its audits, these do not.
AUDITS = [
    "cache-insight",
    "cumulative-layout-shift",
    "dom-size-insight",
    "total-byte-weight",
    "viewport-insight",
]
# The page for writing is for no search engine.
EXPECTED = {("/write", "is-crawlable"), ("/write", "meta-description")}

faults = []
for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as file:
        report = json.load(file)
    path = urllib.parse.urlsplit(report["finalDisplayedUrl"]).path
    if "runtimeError" in report:
        sys.exit(f"{path}: {report['runtimeError']}")
    audits = set(AUDITS)
    for category in CATEGORIES:
        refs = report["categories"][category]["auditRefs"]
        audits |= {ref["id"] for ref in refs if ref["weight"] > 0}
    for audit in sorted(audits):
        result = report["audits"][audit]
        failed = result["score"] != 1 and result["scoreDisplayMode"] != "notApplicable"
        if audit == "cumulative-layout-shift":
            failed = result.get("numericValue") != 0  # A small shift has the score 1, too.
        if failed != ((path, audit) in EXPECTED):
            faults.append(f"{path}: {audit}: {json.dumps(result, indent=2)}")
    performance = report["categories"]["performance"]["score"]
    print(f"{path}: performance {performance * 100:.0f}")
sys.exit("\n".join(faults) or None)
