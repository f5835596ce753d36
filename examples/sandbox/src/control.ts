import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import type { Fault, FaultyServer } from './faults.ts';
import { type SellerBehaviour, sellerFaults } from './search/seller-behaviour.ts';
import { incorrectFaults } from './incorrect-service.ts';
import { body } from './service.ts';
import type { SearchNetworks } from './services/search.ts';

/** An example of each kind of fault, with the fields that it requires. */
const examples = {
  latency: { kind: 'latency', ms: 2000 },
  status: { kind: 'status', status: 500 },
  refuse: { kind: 'refuse' },
  reset: { kind: 'reset' },
  'reset-body': { kind: 'reset-body' },
  drip: { kind: 'drip', everyMs: 100 },
  garbage: { kind: 'garbage' },
  'wrong-type': { kind: 'wrong-type' },
  'black-hole': { kind: 'black-hole' },
  redirect: { kind: 'redirect', location: 'http://127.0.0.1/' },
  huge: { kind: 'huge', bytes: 20_000_000 },
  ...incorrectFaults,
} as const satisfies { readonly [Kind in Fault['kind']]: Extract<Fault, { kind: Kind }> };

export interface Control {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * HTTP API that injects faults: `PUT` and `DELETE /faults/claims`, `PUT` and `DELETE /sellers/mh`. `GET /faults` lists
 * the services, sellers and kinds of faults.
 */
export const startControl = async (
  services: Readonly<Record<string, FaultyServer>>,
  sellers: Pick<SearchNetworks, 'moa' | 'mh'>,
  port = 0,
): Promise<Control> => {
  const app = new Koa().use(faultRoutes(services, sellers));
  const server: Server = createServer(app.callback());
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

const faultRoutes = (
  services: Readonly<Record<string, FaultyServer>>,
  sellers: Pick<SearchNetworks, 'moa' | 'mh'>,
): Koa.Middleware => {
  const menu = {
    services: Object.keys(services),
    faults: Object.values(examples),
    sellers: ['moa', 'mh'],
    sellerFaults: sellerFaults.map((fault) => ({ fault })),
  };
  const refuse = (ctx: Koa.Context, status: number, error: string) => {
    ctx.status = status;
    ctx.body = { error, ...menu };
  };
  return async (ctx) => {
    if (ctx.path === '/faults' && ctx.method === 'GET') {
      ctx.body = menu;
      return undefined;
    }
    const [, kind, name = ''] = /^\/(faults|sellers)\/([^/]+)$/.exec(ctx.path) ?? [];
    if (!kind || !['PUT', 'DELETE'].includes(ctx.method))
      return refuse(ctx, 404, 'Use GET /faults, or PUT or DELETE with /faults/{service} or /sellers/{seller}.');
    const input = ctx.method === 'PUT' ? await body(ctx) : null;
    if (typeof input === 'number') return refuse(ctx, 400, 'The body must be JSON.');
    if (kind === 'sellers') {
      if (name !== 'moa' && name !== 'mh') return refuse(ctx, 404, unknown('seller', name, menu.sellers));
      const behaviour = input === null ? { fault: null } : parseBehaviour(input.value);
      if (typeof behaviour === 'string') return refuse(ctx, 400, behaviour);
      await sellers[name].setBehaviour(behaviour);
      ctx.body = { seller: name, ...behaviour };
      return undefined;
    }
    const target = Object.hasOwn(services, name) ? services[name] : undefined;
    if (!target) return refuse(ctx, 404, unknown('service', name, menu.services));
    const fault = input === null ? null : parseFault(input.value);
    if (typeof fault === 'string') return refuse(ctx, 400, fault);
    await target.setFault(fault);
    ctx.body = { service: name, fault };
    return undefined;
  };
};

const unknown = (what: string, value: unknown, known: readonly string[]): string =>
  value === undefined
    ? `The ${what} is missing. Use one of ${known.join(', ')}.`
    : `Unknown ${what} ${JSON.stringify(value)}. Use one of ${known.join(', ')}.`;

/** Returns the error as a string. */
const parseBehaviour = (value: unknown): Partial<SellerBehaviour> | string => {
  const { fault } = (value ?? {}) as { readonly fault?: unknown };
  const known = sellerFaults.find((one) => one === fault);
  return known ? { fault: known } : unknown('fault', fault, sellerFaults);
};

/** Returns the error as a string. */
const parseFault = (value: unknown): Fault | string => {
  const fault = (value ?? {}) as Readonly<Record<string, unknown>>;
  const { kind } = fault;
  if (typeof kind !== 'string' || !Object.hasOwn(examples, kind)) return unknown('kind', kind, Object.keys(examples));
  const wrong = Object.entries(examples[kind as Fault['kind']]).find(
    ([name, sample]) => typeof fault[name] !== typeof sample,
  );
  return wrong ? `A fault of kind ${kind} needs ${wrong[0]}, a ${typeof wrong[1]}.` : (value as Fault);
};
