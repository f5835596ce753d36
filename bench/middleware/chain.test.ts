import { createUseCases, toJson } from '@portico/core';
import { fakeClock, fakeIdentity } from '@portico/core/testing';
import Koa from 'koa';
import { okAsync } from 'neverthrow';
import { expect, it } from 'vitest';
import { allowedOrigin, createSteps, stepNames } from './chain.ts';
import { connectInMemory } from './memory-connection.ts';

const createSystem = async () => {
  const clock = fakeClock();
  const identity = fakeIdentity({}, clock);
  const coverage = toJson({ plan: 'gold' });
  const eligibility = { coverage: () => okAsync(coverage), accumulators: () => okAsync(coverage) };
  const token = identity.mint({ sub: 'PTY-1' });
  return { token, steps: await createSteps(createUseCases({ clock, identity, eligibility }), token) };
};

/** Sends two requests in memory to a server of this middleware. */
const serve = (middleware: readonly Koa.Middleware[], token: string): Promise<void> => {
  const app = new Koa();
  app.silent = true;
  for (const each of middleware) app.use(each);
  return connectInMemory(app.callback(), '/me/coverage', { authorization: `Bearer ${token}`, origin: allowedOrigin })(
    2,
  );
};

it('the steps add every middleware of the server to Koa, one after the other, and each step serves the member', async () => {
  const { token, steps } = await createSystem();

  expect(steps.map(({ name }) => name)).toEqual(['Koa alone', ...stepNames]);
  for (const { middleware } of steps) await serve(middleware, token);
});

it('a request fails when a step does not serve the member, so that no refusal is measured', async () => {
  const { steps } = await createSystem();

  await expect(serve(steps.at(-1)!.middleware, 'fake.unknown.sign')).rejects.toThrow('HTTP/1.1 401');
});

it('creating the steps leaves Koa as it was', async () => {
  const { use } = Koa.prototype;
  await createSystem();

  expect(Koa.prototype.use).toBe(use);
});
