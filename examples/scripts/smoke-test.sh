#!/usr/bin/env bash
# Nightly smoke test of an environment: runs the preferences journey as a test member and restores the preferences.
# Arguments go to `portico journey`: give --read-only for a member who never set preferences, which makes it exit with 2.
# Needs jq, PORTICO_CONFIG, and PORTICO_USERNAME with PORTICO_PASSWORD, or PORTICO_TOKEN.
# Exits with the exit code of `portico journey`: 0 when every step succeeded.
set -euo pipefail
command -v jq > /dev/null || { echo 'smoke-test.sh needs jq' >&2; exit 2; }

code=0
report=$(portico journey --json "$@") || code=$?
jq -r '.steps[]? | "\(.name)\t\(.outcome)\t\(.elapsedMs) ms"' <<< "$report"
exit "$code"
