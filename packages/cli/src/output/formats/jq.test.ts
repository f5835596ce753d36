import { dirname } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { fileWith, memberSetup, startPortico } from '../../program/binary.test.support.ts';
import { webServer } from '../../program/outside-world.test.support.ts';
import { applyJq } from './jq.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('applyJq reports that jq is not installed, and what to do', async () => {
  vi.stubEnv('PATH', '/nonexistent');

  expect(await applyJq('.a', '{}')).toMatchObject({
    error: {
      exitCode: 2,
      document: { detail: '--jq requires jq, which is not installed.' },
      hint: 'Install jq, or use --json.',
    },
  });
});

it('applyJq reports a jq that cannot be started', async (test) => {
  vi.stubEnv('PATH', dirname(fileWith(test, '', { name: 'jq', mode: 0o600 })));

  expect(await applyJq('.a', '{}')).toMatchObject({
    error: { exitCode: 2, document: { detail: '--jq requires jq, which cannot be started (EACCES).' } },
  });
});

it('jq ends after a signal to portico, also if its expression does not end', async (test) => {
  const { env } = await memberSetup(test);
  const ended = Promise.withResolvers<void>();
  const { url, firstRequest } = await webServer(test, (response) => response.once('close', ended.resolve));
  const script = `#!${process.execPath}\nrequire('node:http').get('${url}');\n`;
  const endless = fileWith(test, script, { name: 'jq', mode: 0o700 });
  const { interrupt } = startPortico(test, 'me coverage --jq .', { env: { ...env, PATH: dirname(endless) } });
  await firstRequest;

  expect((await interrupt('SIGTERM')).exitCode).toBe(143);
  await ended.promise;
});
