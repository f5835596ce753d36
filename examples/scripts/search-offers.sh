#!/usr/bin/env bash
# Prints one line per offer of every network (network, provider, offer, price): search-offers.sh <query>
# Needs jq and PORTICO_CONFIG. Uses the server at PORTICO_SERVER if set, otherwise receives callbacks itself.
# Exits with the exit code of `portico search`.
set -euo pipefail
command -v jq > /dev/null || { echo 'search-offers.sh needs jq' >&2; exit 2; }
[ -n "${1:-}" ] || { echo 'Usage: search-offers.sh <query>' >&2; exit 2; }

response=$(portico search "$1" --persona member --user-id search-offers ${PORTICO_SERVER:+--server "$PORTICO_SERVER"} --json)
jq -r '
  . as $response | .traces | keys_unsorted[] as $leg | $response[$leg].message.catalog // empty
  | (.providers // .["bpp/providers"])[] | (.descriptor.name // .id) as $provider
  | .items[] | [$leg, $provider, .descriptor.name, .price.value // "-"] | @tsv' <<< "$response"
