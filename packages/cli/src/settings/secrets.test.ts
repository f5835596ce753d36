import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { secret, withVariables } from './secrets.ts';
import { contractSample, problemsOf, settingsFile, settingsOf } from './settings-file.test.support.ts';

const seed = Buffer.alloc(32, 7).toString('base64');

const fileWithKey = (privateKey: unknown) => {
  const signing = { subscriberId: 'bap.example', uniqueKeyId: 'k1', privateKey };
  return { '--config': settingsFile({ search: { legs: { mh: { ...contractSample.search.legs.mh, signing } } } }) };
};

const keyOf = (flags: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) =>
  settingsOf({ flags, env }).settings.search.legs?.['mh']?.signing?.privateKey;

const secretFile = (content: string) => {
  const path = join(settingsFile({}), '..', 'secret');
  writeFileSync(path, content);
  return path;
};

describe('a secret in the settings', () => {
  it('can be a string, a variable or a file', () => {
    expect(keyOf(fileWithKey(seed))).toBe(seed);
    expect(keyOf(fileWithKey({ env: 'SIGNING_KEY' }), { SIGNING_KEY: seed })).toBe(seed);
    expect(keyOf(fileWithKey({ file: secretFile(seed) }))).toBe(seed);
  });

  it.each([
    ['one newline at the end', 'a b\n', 'a b'],
    ['a newline of Windows at the end', 'a b\r\n', 'a b'],
    ['the last of two newlines at the end, and with all other white space', ' a\nb\n\n', ' a\nb\n'],
  ])('reads a secret from a file without %s', (_, content, value) => {
    expect(withVariables({}, new Set(), () => secret.parse({ file: secretFile(content) }))).toBe(value);
  });

  it('a secret in a missing or empty variable is a problem that names the setting and the variable', () => {
    const flags = fileWithKey({ env: 'SIGNING_KEY' });
    const problem = {
      setting: 'search.legs.mh.signing.privateKey',
      source: flags['--config'],
      message: 'the variable SIGNING_KEY is not set',
    };
    expect(problemsOf({ flags })).toEqual([problem]);
    expect(problemsOf({ flags, env: { SIGNING_KEY: '' } })).toEqual([problem]);
  });

  it('a secret in a missing or empty file is a problem that names the setting and the file', () => {
    const path = secretFile('\n');
    expect(problemsOf({ flags: fileWithKey({ file: path }) })).toMatchObject([
      { setting: 'search.legs.mh.signing.privateKey', message: `the file ${path} is empty` },
    ]);
    expect(problemsOf({ flags: fileWithKey({ file: `${path}.none` }) })).toMatchObject([
      { message: `the file ${path}.none cannot be read (ENOENT)` },
    ]);
  });

  it.each([{ env: 'hunter2-is-no-name' }, { env: '' }, { file: '' }, { env: 'A', file: 'b' }, {}, 7, ['hunter2']])(
    'is not %j',
    (value) => {
      const problems = problemsOf({ flags: fileWithKey(value) });
      expect(problems).toMatchObject([{ setting: expect.stringMatching(/^search\.legs\.mh\.signing\.privateKey/) }]);
      expect(JSON.stringify(problems)).not.toContain('hunter2');
    },
  );

  it('a secret that is not valid is not part of the reported problem', () => {
    const problems = problemsOf({ flags: fileWithKey({ env: 'SIGNING_KEY' }), env: { SIGNING_KEY: 'hunter2' } });
    expect(problems).toMatchObject([{ message: expect.stringContaining('must be base64 of a 32-byte') }]);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  it('is known to the loaded settings, so that they never show it', () => {
    expect(settingsOf({ flags: fileWithKey({ env: 'KEY' }), env: { KEY: seed } }).secrets).toEqual(new Set([seed]));
  });

  it('a secret in JSON Schema is a string or an object with env or file', () => {
    expect(z.toJSONSchema(secret, { io: 'input' })).toMatchObject({
      anyOf: [{ type: 'string' }, { properties: { env: {} } }, { properties: { file: {} } }],
    });
  });
});

const redis = (url: unknown) => ({ '--config': settingsFile({ redis: { url } }) });

describe('redis.url', () => {
  const password = 'redis://:hunter2@redis.example:6379';

  it('can be a variable or a file, and REDIS_URL replaces it', () => {
    const flags = redis({ env: 'MY_REDIS' });
    expect(settingsOf({ flags, env: { MY_REDIS: password } }).settings.redis.url).toBe(password);
    expect(settingsOf({ flags: redis({ file: secretFile(`${password}\n`) }) }).settings.redis.url).toBe(password);
    expect(settingsOf({ flags, env: { REDIS_URL: 'redis://other' } }).settings.redis.url).toBe('redis://other');
  });

  it('the redis.url in a variable must be a redis URL', () => {
    expect(problemsOf({ flags: redis({ env: 'MY_REDIS' }), env: { MY_REDIS: 'http://hunter2' } })).toMatchObject([
      { setting: 'redis.url', message: 'must be a redis or rediss URL' },
    ]);
  });

  it.each([
    'redis://:hunter2%zz@redis.example',
    'redis://hunter2%@redis.example',
    'redis://%e2:%82%ac@hunter2.example',
    'redis:///run/hunter2.sock',
    'redis://redis.example/hunter2',
    'rediss://redis.example/0/hunter2',
    'redis:hunter2.example',
  ])('is not %s, with which the client of Redis cannot be created', (url) => {
    const problems = problemsOf({ flags: redis(url) });
    expect(problems).toMatchObject([{ setting: 'redis.url', message: expect.stringMatching(/^must have no path/) }]);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  it('a redis.url that is no redis URL has one problem', () => {
    expect(problemsOf({ flags: redis('http://redis.example/a%') })).toHaveLength(1);
  });

  it.each(['redis://redis.example/', 'redis:///0', 'rediss://a%40b:%25%C3%A9@redis.example:6380/15?x=1'])(
    'can be %s',
    (url) => {
      expect(settingsOf({ flags: redis(url) }).settings.redis.url).toBe(url);
    },
  );
});
