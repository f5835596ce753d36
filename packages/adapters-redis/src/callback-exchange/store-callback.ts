import type { OfferOutcome } from '@portico/core';
import { defineScript, type CommandParser } from '@redis/client';

export interface Placement {
  /** Empty when the instance that owns the search has it already. */
  readonly callback: string;
  readonly isVerified: boolean;
  readonly rememberMs: number;
  readonly wakeChannel: string;
  readonly transactionId: string;
}

/** `not-published`: the owner cannot be woken, and nothing was changed. */
export type PlacementOutcome = OfferOutcome | 'not-published';

/**
 * Decides which callback is the first one, on whichever instance it landed, and leaves it for its owner. A leg's key
 * holds `w<instance>` while it waits for any callback, `v<instance>` while it waits for a verified one, `d` once it was
 * delivered, `r` once it was released. A callback is kept as long as its search may wait. Publishing comes first, because
 * it is the step that may be refused: a script that fails keeps what it has written.
 */
export const placeCallback = defineScript({
  NUMBER_OF_KEYS: 2,
  SCRIPT: `
local state = redis.call('GET', KEYS[1])
if not state then return 'unknown' end
local kind = string.sub(state, 1, 1)
if kind == 'd' then return 'duplicate' end
if kind == 'r' then return 'late' end
if kind == 'v' and ARGV[2] ~= '1' then return 'unverified' end
if ARGV[1] ~= '' then
  local published = redis.pcall('PUBLISH', ARGV[4] .. string.sub(state, 2), ARGV[5])
  if type(published) == 'table' then return 'not-published' end
  local left = redis.call('PTTL', KEYS[1]) - tonumber(ARGV[3])
  redis.call('SET', KEYS[2], ARGV[1], 'PX', math.max(left, 1000))
end
redis.call('SET', KEYS[1], 'd', 'PX', ARGV[3])
return 'delivered'
`,
  parseCommand: (
    parser: CommandParser,
    legKey: string,
    callbackKey: string,
    { callback, isVerified, rememberMs, wakeChannel, transactionId }: Placement,
  ) => {
    parser.pushKey(legKey);
    parser.pushKey(callbackKey);
    parser.push(callback, isVerified ? '1' : '0', String(rememberMs), wakeChannel, transactionId);
  },
  transformReply: (reply: unknown) => String(reply) as PlacementOutcome,
});
