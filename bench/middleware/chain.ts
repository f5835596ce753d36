import { memoryRateLimiter, type SomeUseCases } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { createServer, memberRoutes } from '@portico/adapters-koa';
import Koa, { type Middleware } from 'koa';
import { okAsync } from 'neverthrow';

export const allowedOrigin = 'https://portal.bench.example';

/** A server that runs one more middleware than the one before it. */
export interface Step {
  readonly name: string;
  readonly middleware: readonly Middleware[];
}

/** The middleware of `createServer` before the routes, in its order. */
const beforeRoutes = [
  'request report',
  'tracing',
  'request id and security headers',
  'CORS',
  'probes',
  'draining',
  'address limit',
  'continue for sessions',
] as const;

/** The middleware of `createServer` with the member API: those before the routes, the routes, OpenAPI, and the 404. */
const afterwards = ['member routes', 'OpenAPI', 'no such route'];

export const stepNames = [...beforeRoutes, 'route', 'authentication', 'member limit'] as const;

export type StepName = (typeof stepNames)[number];

const limiter = () => memoryRateLimiter({ clock: systemClock, requests: 1_000_000_000, seconds: 60 });

/** The middleware that `createServer` gives to Koa. */
const middlewareOf = (use: SomeUseCases): readonly Middleware[] => {
  const used: Middleware[] = [];
  const { use: original } = Koa.prototype;
  Koa.prototype.use = function record(this: Koa, middleware: Middleware) {
    used.push(middleware);
    return this;
  } as typeof original;
  try {
    createServer(use, { onResponse: () => {}, corsOrigins: [allowedOrigin], addressLimiter: limiter() });
  } finally {
    Koa.prototype.use = original;
  }
  const expected = [...beforeRoutes, ...afterwards];
  if (used.length !== expected.length)
    throw new Error(
      `createServer uses ${used.length} middlewares; bench/middleware/chain.ts lists ${expected.length}: ${expected.join(', ')}.`,
    );
  return used;
};

const respond: Middleware = (ctx) => {
  ctx.type = 'application/json';
  ctx.body = '{"plan":"gold"}';
};

/** Servers that add one middleware after the other, from bare Koa to the complete member API. */
export const createSteps = async (use: SomeUseCases, token: string): Promise<readonly Step[]> => {
  const member = await use.authenticate(token).match(
    (verified) => verified,
    ({ kind }) => {
      throw new Error(`The token was refused: ${kind}`);
    },
  );
  const used = middlewareOf(use).slice(0, beforeRoutes.length);
  const trusting = { ...use, authenticate: () => okAsync(member) } as SomeUseCases;
  const step = (name: StepName, routes: Middleware): Step => ({ name, middleware: [...used, routes] });
  return [
    { name: 'Koa alone', middleware: [respond] },
    ...beforeRoutes.map((name, at) => ({ name, middleware: [...used.slice(0, at + 1), respond] })),
    step('route', memberRoutes(trusting)),
    step('authentication', memberRoutes(use)),
    step('member limit', memberRoutes(use, { memberLimiter: limiter() })),
  ];
};
