"""Checks a dashboard of Grafana, and prints its expressions as rules, which promtool can check.

Each panel has a unit, a description and its own place, and each expression follows the variable `instance`.
"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    dashboard = json.load(file)

faults = []
rules = []
ids = set()
places = set()
for panel in dashboard["panels"]:
    name = panel["title"]
    if panel["id"] in ids:
        faults.append(f"{name}: the id {panel['id']} is taken")
    ids.add(panel["id"])
    grid = panel["gridPos"]
    for x in range(grid["x"], grid["x"] + grid["w"]):
        for y in range(grid["y"], grid["y"] + grid["h"]):
            if (x, y) in places or x >= 24:
                faults.append(f"{name}: there is no room at {x}, {y}")
            places.add((x, y))
    if panel["type"] == "row":
        continue
    if not panel.get("description", "").endswith("."):
        faults.append(f"{name}: it has no description")
    if not panel["fieldConfig"]["defaults"].get("unit"):
        faults.append(f"{name}: it has no unit")
    if not panel["targets"]:
        faults.append(f"{name}: it shows nothing")
    for target in panel["targets"]:
        expression = target["expr"]
        if expression.count('job="$job",instance=~"$instance"') < 1:
            faults.append(f"{name}: it does not follow the variables")
        for variable, value in {"$__rate_interval": "5m", "$job": "handbill", "$instance": ".*"}.items():
            expression = expression.replace(variable, value)
        if "$" in expression:
            faults.append(f"{name}: there is an unknown variable in {expression}")
        rules.append({"record": f"dashboard:{len(rules)}", "expr": expression})
if len(rules) < 20:
    faults.append(f"there are only {len(rules)} expressions")
if faults:
    sys.exit("\n".join(faults))
# JSON is YAML, too.
print(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}, indent=2))
