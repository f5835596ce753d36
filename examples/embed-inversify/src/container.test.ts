import type { HttpModuleSettings } from '@portico/adapters-http/inversify';
import { useCasesToken, useCaseTokens } from '@portico/core/inversify';
import { fakeClaims } from '@portico/core/testing';
import { type Sandbox, startSandbox } from '@portico/sandbox';
import { ok, ResultAsync } from 'neverthrow';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ourContainer } from './container.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

it('the container resolves one replaced port, and the others over HTTP', async () => {
  const settings = sandbox.settings('http://127.0.0.1') as HttpModuleSettings;
  const ours = fakeClaims({ 'PTY-1001': [{ locator: 'CLM-OURS' }] });
  const container = ourContainer(settings, ours);

  const { authenticate } = container.get(useCasesToken);
  // Each use case can be resolved separately.
  const getCoverage = container.get(useCaseTokens.getCoverage);
  const listClaims = container.get(useCaseTokens.listClaims);
  const answers = await authenticate(await sandbox.token('member-a')).andThen((member) =>
    ResultAsync.combine([getCoverage(member), listClaims(member, [])]),
  );
  expect(answers.map((all) => all.map(({ value }) => value))).toMatchObject(
    ok([{ status: 'active' }, { claims: [{ locator: 'CLM-OURS' }] }]),
  );
});
