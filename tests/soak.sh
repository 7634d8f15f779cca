#!/usr/bin/env bash
# Runs the program under mixed load (`tests/tests/soak.rs`) and prints what it holds. It fails if that
# grows. Argument: seconds (3600).
set -euo pipefail
cd "$(dirname "$0")/.."
HANDBILL_SOAK=${1:-3600} cargo test --release -p handbill-tests --test soak -- --ignored --nocapture
