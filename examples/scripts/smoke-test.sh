#!/usr/bin/env bash
# Nightly smoke test of an environment: walks the preferences journey as a test member, and leaves the member's
# preferences as they were (let that member have set some: what was never set cannot be unset). Needs jq, PORTICO_CONFIG, and PORTICO_USERNAME with PORTICO_PASSWORD, or PORTICO_TOKEN.
# Ends with the exit code of `portico journey`: 0 when every step held.
set -euo pipefail
command -v jq > /dev/null || { echo 'smoke-test.sh needs jq' >&2; exit 2; }

code=0
report=$(portico journey --json) || code=$?
jq -r '.steps[]? | "\(.name)\t\(.outcome)\t\(.elapsedMs) ms"' <<< "$report"
exit "$code"
