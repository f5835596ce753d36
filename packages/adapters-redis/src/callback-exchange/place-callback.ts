import type { CallbackFate } from '@portico/core';
import { defineScript, type CommandParser } from '@redis/client';

interface Placement {
  /** Empty when its owner has it already. */
  readonly callback: string;
  readonly rememberMs: number;
  readonly wakeChannel: string;
  readonly transactionId: string;
}

/**
 * Decides which callback is the first one, wherever they land, and leaves it for its owner. A leg's key holds
 * `w<instance>:<leg>` while somebody waits, `d` when it was delivered, `r` when it was released. A callback is kept as
 * long as its search may wait.
 */
export const placeCallback = defineScript({
  NUMBER_OF_KEYS: 2,
  SCRIPT: `
local state = redis.call('GET', KEYS[1])
if not state then return 'unknown' end
local kind = string.sub(state, 1, 1)
if kind == 'd' then return 'duplicate' end
if kind == 'r' then return 'late' end
if ARGV[1] ~= '' then
  local left = redis.call('PTTL', KEYS[1]) - tonumber(ARGV[2])
  redis.call('SET', KEYS[2], ARGV[1], 'PX', math.max(left, 1000))
end
redis.call('SET', KEYS[1], 'd', 'PX', ARGV[2])
if ARGV[1] ~= '' then
  redis.call('PUBLISH', ARGV[3] .. string.match(state, '^w([^:]*):'), ARGV[4])
end
return 'delivered'
`,
  parseCommand: (
    parser: CommandParser,
    legKey: string,
    callbackKey: string,
    { callback, rememberMs, wakeChannel, transactionId }: Placement,
  ) => {
    parser.pushKey(legKey);
    parser.pushKey(callbackKey);
    parser.push(callback, String(rememberMs), wakeChannel, transactionId);
  },
  transformReply: (reply: unknown) => String(reply) as CallbackFate,
});
