"""Prints what the conformance suite found, and fails if a check failed for a reason that is ours.

Most scenarios need a server that was made for the suite: they call its tools, or ask for prompts, resources and tasks,
which Handbill does not have.
"""

import collections
import json
import pathlib
import re
import sys

NOT_OURS = re.compile(
    r"unknown tool: |Not testable: |'json_schema_2020_12_tool' not found"
    r"|(prompts|resources|resources/templates)/(list|get|read|subscribe)$|completion/complete$|logging/setLevel$"
)
# About tasks, and about tools that ask for input.
NOT_OFFERED = ("server-tasks-", "server-input-required-")

folder = pathlib.Path(sys.argv[1])
found = collections.Counter()
faults = []
for file in sorted(folder.glob("*/checks.json")):
    for check in json.loads(file.read_text()):
        status, why = check["status"], check.get("errorMessage") or ""
        if status == "FAILURE" and not (NOT_OURS.search(why) or file.parent.name.startswith(NOT_OFFERED)):
            faults.append(f"{check['id']}: {why}")
        elif status == "FAILURE":
            status = "about what Handbill does not have"
        found[status] += 1
for status, count in found.most_common():
    print(f"  {count:3} {status}")
if faults or found["SUCCESS"] < 30:
    sys.exit("\n".join(faults) or "too few checks")
