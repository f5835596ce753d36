#!/usr/bin/env bash
# Saves a member's EOBs (explanations of benefits) as PDFs: export-eobs.sh <folder>
# Needs jq, PORTICO_CONFIG, and PORTICO_TOKEN, or PORTICO_USERNAME with PORTICO_PASSWORD. Keeps existing files.
# Exits with the exit code of the first `portico` command that fails.
set -euo pipefail
command -v jq > /dev/null || { echo 'export-eobs.sh needs jq' >&2; exit 2; }
[ -n "${1:-}" ] || { echo 'Usage: export-eobs.sh <folder>' >&2; exit 2; }

# Get one token for all requests.
PORTICO_TOKEN=${PORTICO_TOKEN:-$(portico token)}
export PORTICO_TOKEN

documents=$(portico me documents list --type eob --json)
mkdir -p "$1"
for locator in $(jq -r '.documents[].locator' <<< "$documents"); do
  [ -e "$1/$locator.pdf" ] || portico me documents get "$locator" -o "$1/$locator.pdf"
done
