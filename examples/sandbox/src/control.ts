import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import type { Fault, FaultyServer } from './faults.ts';
import { type SellerBehaviour, sellerFaults } from './search/seller-behaviour.ts';
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
  const app = new Koa();
  const menu = {
    services: Object.keys(services),
    faults: Object.values(examples),
    sellers: Object.keys(sellers).filter((name) => name === 'moa' || name === 'mh'),
    sellerFaults: sellerFaults.map((fault) => ({ fault })),
  };
  const refuse = (ctx: Koa.Context, status: number) => {
    ctx.status = status;
    ctx.body = menu;
  };
  app.use(async (ctx) => {
    const [, kind, name = ''] = /^\/(faults|sellers)\/([a-z]+)$/.exec(ctx.path) ?? [];
    if (!kind || !['PUT', 'DELETE'].includes(ctx.method)) return refuse(ctx, ctx.path === '/faults' ? 200 : 404);
    const input = ctx.method === 'PUT' ? await body(ctx) : null;
    if (typeof input === 'number') return refuse(ctx, 400);
    if (kind === 'sellers') {
      const behaviour = input === null ? { fault: null } : parseBehaviour(input.value);
      if (!behaviour || (name !== 'moa' && name !== 'mh')) return refuse(ctx, behaviour ? 404 : 400);
      await sellers[name].setBehaviour(behaviour);
      ctx.body = { seller: name, ...behaviour };
      return undefined;
    }
    const target = Object.hasOwn(services, name) ? services[name] : undefined;
    const fault = input === null ? null : parseFault(input.value);
    if (!target || fault === undefined) return refuse(ctx, target ? 400 : 404);
    await target.setFault(fault);
    ctx.body = { service: name, fault };
    return undefined;
  });
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

const parseBehaviour = (value: unknown): Partial<SellerBehaviour> | undefined => {
  const { fault } = (value ?? {}) as { readonly fault?: unknown };
  const known = sellerFaults.find((one) => one === fault);
  return known && { fault: known };
};

const parseFault = (value: unknown): Fault | undefined => {
  const fault = value as Readonly<Record<string, unknown>> | null;
  const kind = fault?.['kind'];
  if (typeof kind !== 'string' || !Object.hasOwn(examples, kind)) return undefined;
  const example = Object.entries(examples[kind as Fault['kind']]);
  return example.every(([name, sample]) => typeof fault?.[name] === typeof sample) ? (fault as Fault) : undefined;
};
