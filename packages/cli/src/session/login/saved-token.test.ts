import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directory } from '../../program/binary.test.support.ts';
import { savedTokenPath, writeSavedToken } from './saved-token.ts';

it('writeSavedToken leaves no copy of a token that cannot be saved', async (test) => {
  const home = directory(test);
  const path = join(home, 'token.json');
  mkdirSync(path);
  const token = { issuer: 'https://id.example', clientId: 'portico-cli', accessToken: 'secret-token' };

  await expect(writeSavedToken(path, token)).rejects.toThrow();
  expect(readdirSync(home)).toEqual(['token.json']);
});

it.each([
  [{ XDG_STATE_HOME: '/state', HOME: '/home/a' }, '/state/portico/token.json'],
  [{ XDG_STATE_HOME: 'state', HOME: '/home/a' }, '/home/a/.local/state/portico/token.json'],
  [{ HOME: '', USERPROFILE: '/users/a' }, '/users/a/.local/state/portico/token.json'],
  [{ XDG_STATE_HOME: 'state' }, undefined],
])('savedTokenPath reads %j', (env, path) => {
  expect(savedTokenPath(env)).toBe(path);
});
