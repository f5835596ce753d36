#!/usr/bin/env bash
# Prints the offers of every network as CSV, and a row for each network and seller that failed: search-offers.sh <query>
# Needs PORTICO_CONFIG. Uses the server at PORTICO_SERVER if set, otherwise receives callbacks itself.
# Exits with the exit code of `portico search`.
set -euo pipefail
[ -n "${1:-}" ] || { echo 'Usage: search-offers.sh <query>' >&2; exit 2; }

exec portico search "$1" --persona member --user-id search-offers ${PORTICO_SERVER:+--server "$PORTICO_SERVER"} --output csv
