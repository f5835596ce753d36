#!/usr/bin/env bash
# Every offer of every network, a line each: network, provider, offer, price. search-offers.sh <query>
# Needs jq and PORTICO_CONFIG; asks the portico at PORTICO_SERVER when that is set, else listens for callbacks itself.
# Ends as `portico search` does.
set -euo pipefail
command -v jq > /dev/null || { echo 'search-offers.sh needs jq' >&2; exit 2; }
[ -n "${1:-}" ] || { echo 'search-offers.sh: say what to search for' >&2; exit 2; }

answer=$(portico search "$1" --persona member --user-id search-offers ${PORTICO_SERVER:+--server "$PORTICO_SERVER"} --json)
jq -r '
  . as $answer | .traces | keys_unsorted[] as $leg | $answer[$leg].message.catalog // empty
  | (.providers // .["bpp/providers"])[] | (.descriptor.name // .id) as $provider
  | .items[] | [$leg, $provider, .descriptor.name, .price.value // "-"] | @tsv' <<< "$answer"
