import type { OfferOutcome } from '@portico/core';
import { defineScript, type CommandParser } from '@redis/client';
import type { LegKeys } from './leg-keys.ts';
import type { OfferedCallback } from './offered-callback.ts';

export interface StoreSettings {
  readonly rememberMs: number;
  readonly wakeChannel: string;
}

/**
 * `collected` and `repeated` are `delivered` and `duplicate` of a leg that collects. `not-published`: the wake-up of the
 * owner was refused. `overloaded`: the owner has no memory for more. These two change nothing.
 */
export type StoreOutcome = OfferOutcome | 'collected' | 'repeated' | 'not-published' | 'overloaded';

/** The field of the stream entry, and of the accepted callbacks, that marks a full leg. */
export const fullField = 'full';

/**
 * Decides atomically what becomes of a callback, stores it, and wakes the leg's owner. The value of a leg's key is `d`
 * once delivered, `r` once released, and `<kind><owner>|<pairing>|<maxCallbacks>|<maxBytes>` while it waits. The kind is
 * `w` for any callback, `v` for verified ones, and `p` while the owner has no memory. Without limits, the first callback
 * is delivered; with limits, each new one. The first one beyond the limits adds a `full` entry after the accepted ones.
 *
 * Callbacks expire when their search can no longer wait. The script publishes first, because publishing may be refused,
 * and stores before it counts, because a script that fails does not undo its writes.
 */
export const storeCallback = defineScript({
  NUMBER_OF_KEYS: 3,
  SCRIPT: `
local leg, stored, accepted = unpack(KEYS)
local text, isVerified, pairing, digest, size, rememberMs, wakeChannel, transactionId = unpack(ARGV)
local state = redis.call('GET', leg)
if not state then return 'unknown' end
local kind, owner, expected, maxCallbacks, maxBytes = string.match(state, '^(.)([^|]*)|?([^|]*)|?(%d*)|?(%d*)$')
if kind == 'd' then return 'duplicate' end
if kind == 'r' then return 'late' end
local isFromOther = text ~= ''
if kind == 'p' and isFromOther then return 'overloaded' end
if kind == 'v' and isVerified ~= '1' then return 'unverified' end
if expected ~= '' and expected ~= pairing then return 'mismatched' end
local expiresIn = math.max(redis.call('PTTL', leg) - tonumber(rememberMs), 1000)
local function isWakeRefused()
  return isFromOther and type(redis.pcall('PUBLISH', wakeChannel .. owner, transactionId)) == 'table'
end
if maxCallbacks == '' then
  if isWakeRefused() then return 'not-published' end
  if isFromOther then redis.call('SET', stored, text, 'PX', expiresIn) end
  redis.call('SET', leg, 'd', 'PX', rememberMs)
  return 'delivered'
end
local found = redis.call('HMGET', accepted, digest, 'callbacks', 'bytes', '${fullField}')
if found[1] then return 'repeated' end
if found[4] then return 'full' end
if isWakeRefused() then return 'not-published' end
local isFull = tonumber(found[2] or 0) >= tonumber(maxCallbacks)
  or tonumber(found[3] or 0) + tonumber(size) > tonumber(maxBytes)
if isFull then
  redis.call('XADD', stored, '*', '${fullField}', '')
  redis.call('HSET', accepted, '${fullField}', '')
else
  if isFromOther then redis.call('XADD', stored, '*', digest, text) end
  redis.call('HSET', accepted, digest, '')
  redis.call('HINCRBY', accepted, 'callbacks', 1)
  redis.call('HINCRBY', accepted, 'bytes', size)
end
redis.call('PEXPIRE', stored, expiresIn)
redis.call('PEXPIRE', accepted, expiresIn)
return isFull and 'full' or 'collected'
`,
  parseCommand: (
    parser: CommandParser,
    { leg, callback, accepted }: LegKeys,
    { text, isVerified, pairing, digest, size, transactionId }: OfferedCallback,
    { rememberMs, wakeChannel }: StoreSettings,
  ) => {
    for (const key of [leg, callback, accepted]) parser.pushKey(key);
    parser.push(text, isVerified ? '1' : '0', pairing, digest, String(size));
    parser.push(String(rememberMs), wakeChannel, transactionId);
  },
  transformReply: (reply: unknown) => String(reply) as StoreOutcome,
});
