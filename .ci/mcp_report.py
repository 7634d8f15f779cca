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
# About tasks, and about tools that ask for input: their messages do not say that this is what is missing.
NOT_OFFERED = {
    "sep-2322-multi-round-r1",
    "sep-2322-reject-tampered-state",
    "sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get",
    "sep-2663-server-returns-missing-capability-when-required",
    "sep-2663-tasks-get-invalid-task-id-32602",
    "sep-2663-tasks-methods-non-declaring",
    "tasks-extension-advertised",
}

folder, fewest = pathlib.Path(sys.argv[1]), int(sys.argv[2])
found = collections.Counter()
faults = []
for file in sorted(folder.glob("*/checks.json")):
    for check in json.loads(file.read_text()):
        status, why = check["status"], check.get("errorMessage") or ""
        if status == "FAILURE" and not (NOT_OURS.search(why) or check["id"] in NOT_OFFERED):
            faults.append(f"{check['id']}: {why}")
        elif status == "FAILURE":
            status = "about what Handbill does not have"
        elif status == "SUCCESS" and check["id"] == "wire-schema-valid":
            status = "messages of a scenario are valid"
        elif status == "WARNING":
            print(f"  {check['id']}: {why}")
        found[status] += 1
for status, count in found.most_common():
    print(f"  {count:3} {status}")
if faults or found["SUCCESS"] < fewest:
    sys.exit("\n".join(faults) or "too few checks")
