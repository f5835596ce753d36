/*
 * A session is a hash of its value, version and labels. A label is a sorted set of ids, scored with the expiry of their
 * sessions: it only finds them, and an id without a session is ignored. The key of a label expires with its last session.
 */

/** Adds the session `id` to a label, and drops the ids whose time has passed. */
const labelSession = `
local function labelSession(label, id, expiresInMs)
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('ZREMRANGEBYSCORE', label, '-inf', '(' .. now)
  redis.call('ZADD', label, now + expiresInMs, id)
  if redis.call('PTTL', label) < expiresInMs then redis.call('PEXPIRE', label, expiresInMs) end
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

/** The labels are first: a script that fails does not undo its writes, and a label without a session does no harm. */
export const create = `${labelSession}
local id, value, version, expiresInMs, labels = unpack(ARGV)
for index = 2, #KEYS do labelSession(KEYS[index], id, tonumber(expiresInMs)) end
redis.call('HSET', KEYS[1], 'value', value, 'version', version, 'labels', labels)
redis.call('PEXPIRE', KEYS[1], expiresInMs)
`;

export const replace = `${labelSession}
local id, value, version, expiresInMs, expected, _, labelPrefix = unpack(ARGV)
local found = redis.call('HMGET', KEYS[1], 'version', 'labels')
if found[1] ~= expected then return 0 end
for label in string.gmatch(found[2], '%S+') do labelSession(labelPrefix .. label, id, tonumber(expiresInMs)) end
redis.call('HSET', KEYS[1], 'value', value, 'version', version)
redis.call('PEXPIRE', KEYS[1], expiresInMs)
return 1
`;

export const remove = `${endSession}
return endSession(unpack(ARGV))
`;

export const removeLabelled = `${endSession}
local ended = 0
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do ended = ended + endSession(id, unpack(ARGV)) end
redis.call('DEL', KEYS[1])
return ended
`;

export const acquire = "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])";

export const release = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
`;
