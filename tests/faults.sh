#!/usr/bin/env bash
# Runs the fault tests (`tests/tests/faults`) with more load and for longer than the test suite, and
# prints their counts. Arguments: names of tests. HANDBILL_KILLS: how often instances are killed
# (default: 100).
set -euo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT

status=0
HANDBILL_FAULTS=long cargo test --release -p handbill-tests --test faults -- \
  --nocapture --test-threads=1 "$@" 2>&1 | tee "$log" || status=$?

echo
echo "| fault | changes acknowledged | lost | doubled | refused (503) | cut | longest silence, s | recovered after, s | slowest response, s |"
echo "|---|---|---|---|---|---|---|---|---|"
grep '^| ' "$log"
exit "$status"
