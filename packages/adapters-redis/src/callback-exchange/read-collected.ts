import { defineScript, type CommandParser } from '@redis/client';

/** How much is read at once. */
export interface ReadLimits {
  readonly maxCallbacks: number;
  /** Bytes of UTF-8. */
  readonly maxBytes: number;
}

export interface Collected {
  /** The oldest entries of the stream. */
  readonly entries: readonly { readonly id: string; readonly digest: string; readonly text: string }[];
  /** Whether a limit ended the reading. */
  readonly hasMore: boolean;
}

/** Reads the entries of a stream in their order, up to the first one that exceeds the limits. */
export const readCollected = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
local callbacksLeft, bytesLeft = tonumber(ARGV[1]), tonumber(ARGV[2])
local read, from = {}, '-'
while true do
  local entry = redis.call('XRANGE', KEYS[1], from, '+', 'COUNT', 1)[1]
  if not entry then return {0, read} end
  local id, digest, text = entry[1], entry[2][1], entry[2][2]
  callbacksLeft = callbacksLeft - 1
  bytesLeft = bytesLeft - #text
  if callbacksLeft < 0 or bytesLeft < 0 then return {1, read} end
  read[#read + 1] = {id, digest, text}
  from = '(' .. id
end
`,
  parseCommand: (parser: CommandParser, key: string, { maxCallbacks, maxBytes }: ReadLimits) => {
    parser.pushKey(key);
    parser.push(String(maxCallbacks), String(maxBytes));
  },
  transformReply: (reply: unknown): Collected => {
    const [hasMore, read] = reply as readonly [number, readonly (readonly [string, string, string])[]];
    return { entries: read.map(([id, digest, text]) => ({ id, digest, text })), hasMore: hasMore === 1 };
  },
});
