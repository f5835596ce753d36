import { httpIdentity } from '@portico/adapters-http';
import { createUseCases, toJson } from '@portico/core';
import { systemClock } from '@portico/core/system';
import Koa from 'koa';
import { okAsync } from 'neverthrow';
import { start, urlOf } from '../child-process.ts';
import type { Command } from '../command.ts';
import { report } from '../requirements.ts';
import { ownProcessorTime } from '../speed/load/process-usage.ts';
import { median } from '../statistics.ts';
import { createSigner, issuer } from '../tokens.ts';
import { allowedOrigin, createSteps, type Step, type StepName } from './chain.ts';
import { connectInMemory } from './memory-connection.ts';
import { addedBySteps, withinBudget } from './shares.ts';

const rounds = 150;
const warmUpRounds = 30;
const requestsPerRound = 100;

/** The most processor time that each middleware may add to a request, as a share of a request of Koa alone. */
const budgets: Readonly<Record<StepName, number>> = {
  'request report': 0.25,
  tracing: 0.1,
  'request id and security headers': 0.5,
  CORS: 0.45,
  probes: 0.1,
  draining: 0.15,
  'address limit': 0.35,
  'continue for sessions': 0.1,
  route: 0.35,
  authentication: 0.5,
  'member limit': 0.15,
};

/** A server of the coverage of any member, without a service behind it. */
const createSystem = async () => {
  const { jwks, sign } = await createSigner();
  const keys = await start(new URL('../speed/load/downstream.ts', import.meta.url), { args: [jwks] });
  const coverage = toJson({ plan: 'gold' });
  const use = createUseCases({
    clock: systemClock,
    identity: httpIdentity({ issuer, audience: ['portico'], jwksUrl: `${urlOf(keys)}/jwks` }),
    eligibility: { coverage: () => okAsync(coverage), accumulators: () => okAsync(coverage) },
  });
  return { use, keys, token: await sign({ sub: 'PTY-1' }) };
};

const connectTo = ({ middleware }: Step, token: string) => {
  const app = new Koa();
  for (const each of middleware) app.use(each);
  return connectInMemory(app.callback(), '/me/coverage', {
    authorization: `Bearer ${token}`,
    origin: allowedOrigin,
  });
};

const row = (name: string, microseconds: number) => [name, microseconds.toFixed(1)];

/**
 * The processor time that each middleware of the server adds to a request, held to a budget. All steps take turns in one
 * process, over a connection in memory.
 */
export const middlewareBudget: Command = async () => {
  const { use, keys, token } = await createSystem();
  const steps = await createSteps(use, token);
  const connections = steps.map((step) => connectTo(step, token));
  const measured: number[][] = [];
  for (let round = -warmUpRounds; round < rounds; round++) {
    const perRequest: number[] = [];
    for (const send of connections)
      perRequest.push((await ownProcessorTime(() => send(requestsPerRound))) / requestsPerRound);
    if (round >= 0) measured.push(perRequest);
  }
  await keys.stop();
  const names = steps.map(({ name }) => name);
  const added = addedBySteps(names, measured);
  const total = (at: number) => median(measured.map((round) => round[at]!));
  return report('middleware', {
    requirements: withinBudget(added, budgets),
    table: [
      ['middleware', 'added processor time, µs'],
      row('Koa alone', total(0)),
      ...added.map(({ name, microseconds }) => row(name, microseconds)),
      row('all', total(steps.length - 1)),
    ],
    summary: `Medians of ${rounds} rounds of ${requestsPerRound} requests.`,
    data: {
      rows: names.map((title, at) => ({
        title: `until ${title}`,
        unit: 'µs',
        own: total(at),
        rounds: { own: measured.map((round) => round[at]!), other: [] },
      })),
      added,
    },
  });
};
