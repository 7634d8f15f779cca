#!/bin/sh
# Kills the program a thousand times while clients write, and checks after each time that nothing
# which it acknowledged is lost. HANDBILL_KILLS says how often instead.
set -eu
cd "$(dirname "$0")/.."
HANDBILL_KILLS="${HANDBILL_KILLS:-1000}" exec cargo test --release -p handbill-standalone --test crash -- --nocapture
