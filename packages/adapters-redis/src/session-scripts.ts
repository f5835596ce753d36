/*
 * A session is a hash of its value, version and labels. A label is a sorted set of ids, scored with the expiry of their
 * sessions: it only finds them, and an id without a session is ignored. The key of a label expires with its last session. A
 * label that was removed has one more key; the time until that expires shows how long ago the label was removed.
 */

/**
 * Adds the session `id` to a label, and drops the ids of its first sessions that have ended. The scores only order the ids:
 * the clock of an instance never decides that a session has ended. `TIME` would need a permission of its own.
 */
const labelSession = `
local function labelSession(label, id, sessionPrefix, now, expiresInMs)
  redis.call('ZADD', label, now + expiresInMs, id)
  if redis.call('PTTL', label) < tonumber(expiresInMs) then redis.call('PEXPIRE', label, expiresInMs) end
  for _, first in ipairs(redis.call('ZRANGE', label, 0, 9)) do
    if first ~= id and redis.call('EXISTS', sessionPrefix .. first) == 0 then redis.call('ZREM', label, first) end
  end
end
`;

/** Removes a session and its id from its labels. Returns whether it existed. */
const endSession = `
local function endSession(id, sessionPrefix, labelPrefix)
  local labels = redis.call('HGET', sessionPrefix .. id, 'labels')
  for label in string.gmatch(labels or '', '%S+') do redis.call('ZREM', labelPrefix .. label, id) end
  return redis.call('DEL', sessionPrefix .. id)
end
`;

export const find = "return redis.call('HMGET', KEYS[1], 'value', 'version')";

/**
 * Returns 0 if the key of a removed label lasts for `refusedMs` or longer, which is at least 0: an absent key counts as
 * -2 ms. The labels are first: a script that fails does not undo its writes, and a label without a session does no harm.
 */
export const create = `${labelSession}
local id, value, version, expiresInMs, now, sessionPrefix, _, labels, removedPrefix, refusedMs = unpack(ARGV)
for label in string.gmatch(labels, '%S+') do
  if redis.call('PTTL', removedPrefix .. label) >= tonumber(refusedMs) then return 0 end
end
for index = 2, #KEYS do labelSession(KEYS[index], id, sessionPrefix, now, expiresInMs) end
redis.call('HSET', KEYS[1], 'value', value, 'version', version, 'labels', labels)
redis.call('PEXPIRE', KEYS[1], expiresInMs)
return 1
`;

export const replace = `${labelSession}
local id, value, version, expiresInMs, now, sessionPrefix, labelPrefix, expected = unpack(ARGV)
local found = redis.call('HMGET', KEYS[1], 'version', 'labels')
if found[1] ~= expected then return 0 end
for label in string.gmatch(found[2], '%S+') do
  labelSession(labelPrefix .. label, id, sessionPrefix, now, expiresInMs)
end
redis.call('HSET', KEYS[1], 'value', value, 'version', version)
redis.call('PEXPIRE', KEYS[1], expiresInMs)
return 1
`;

export const remove = `${endSession}
return endSession(unpack(ARGV))
`;

/** `SET` is last: a Redis without memory accepts it only from a script that has written before. */
export const removeLabelled = `${endSession}
local sessionPrefix, labelPrefix, rememberedMs = unpack(ARGV)
local ended = 0
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  ended = ended + endSession(id, sessionPrefix, labelPrefix)
end
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], '', 'PX', rememberedMs)
return ended
`;

export const acquire = "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])";

export const release = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
`;
