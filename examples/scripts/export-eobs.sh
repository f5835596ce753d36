#!/usr/bin/env bash
# Saves a member's explanations of benefits as PDFs: export-eobs.sh <folder>
# Needs jq, PORTICO_CONFIG, and PORTICO_TOKEN, or PORTICO_USERNAME with PORTICO_PASSWORD. What is there already stays.
set -euo pipefail
command -v jq > /dev/null || { echo 'export-eobs.sh needs jq' >&2; exit 2; }
folder=${1:?name the folder that the PDFs go into}

# One token for all that follows.
PORTICO_TOKEN=${PORTICO_TOKEN:-$(portico token)}
export PORTICO_TOKEN

mkdir -p "$folder"
locators=$(portico me documents list --type eob --json | jq -r '.documents[].locator')
for locator in $locators; do
  [ -e "$folder/$locator.pdf" ] || portico me documents get "$locator" -o "$folder/$locator.pdf"
done
