#!/usr/bin/env bash
# Lets each fault of `tests/tests/faults` happen under more load and for longer than the suite does,
# and prints what was counted. Arguments are names of tests; HANDBILL_KILLS says how often instances
# are killed instead of 100 times.
set -euo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT

status=0
HANDBILL_FAULTS=long cargo test --release -p handbill-tests --test faults -- \
  --nocapture --test-threads=1 "$@" 2>&1 | tee "$log" || status=$?

echo
echo "| fault | changes acknowledged | lost | doubled | refused (503) | cut | longest silence, s | recovered after, s | slowest answer, s |"
echo "|---|---|---|---|---|---|---|---|---|"
grep '^| ' "$log"
exit "$status"
