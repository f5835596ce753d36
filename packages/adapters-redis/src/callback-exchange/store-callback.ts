import type { OfferOutcome } from '@portico/core';
import { defineScript, type CommandParser } from '@redis/client';

export interface StoreArguments {
  /** Empty when the callback arrived at the leg's owner: then it is not stored, and the owner is not woken. */
  readonly callback: string;
  readonly isVerified: boolean;
  readonly rememberMs: number;
  readonly wakeChannel: string;
  readonly transactionId: string;
}

/** `not-published`: the wake-up of the owner was refused, and nothing was changed. */
export type StoreOutcome = OfferOutcome | 'not-published';

/**
 * Decides atomically which callback of a leg is first, stores it, and wakes the leg's owner. The value of a leg's key
 * is `w<instance>` while it waits for any callback, `v<instance>` while it waits for a verified one, `d` once delivered,
 * and `r` once released. A callback expires when its search can no longer wait. The script publishes first, because
 * publishing may be refused, and a script that fails does not undo its writes.
 */
export const storeCallback = defineScript({
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
    { callback, isVerified, rememberMs, wakeChannel, transactionId }: StoreArguments,
  ) => {
    parser.pushKey(legKey);
    parser.pushKey(callbackKey);
    parser.push(callback, isVerified ? '1' : '0', String(rememberMs), wakeChannel, transactionId);
  },
  transformReply: (reply: unknown) => String(reply) as StoreOutcome,
});
