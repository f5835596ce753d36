import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import type { Fault, FaultyServer } from './faults.ts';
import { incorrectFaults } from './incorrect-service.ts';
import { sellerFaults } from './search/seller-behaviour.ts';
import { changeSeller, type ControlledSeller, rotateKey, unknown } from './seller-routes.ts';
import { body } from './service.ts';

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
 * HTTP API that injects faults: `PUT` and `DELETE /faults/claims`, `PUT` and `DELETE /sellers/mh`, `POST /sellers/fast/key`
 * to rotate a key. `GET /faults` lists the services, sellers and kinds of faults.
 */
export const startControl = async (
  services: Readonly<Record<string, FaultyServer>>,
  sellers: Readonly<Record<string, ControlledSeller>>,
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
  sellers: Readonly<Record<string, ControlledSeller>>,
): Koa.Middleware => {
  const menu = {
    services: Object.keys(services),
    faults: Object.values(examples),
    sellers: Object.keys(sellers),
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
    const [, kind, name = '', key] = /^\/(faults|sellers)\/([^/]+)(\/key)?$/.exec(ctx.path) ?? [];
    const isRotation = kind === 'sellers' && key !== undefined;
    if (!kind || !(isRotation ? ['POST'] : ['PUT', 'DELETE']).includes(ctx.method) || (key && !isRotation))
      return refuse(
        ctx,
        404,
        'Use GET /faults, PUT or DELETE with /faults/{service} or /sellers/{seller}, or POST /sellers/{seller}/key.',
      );
    const input = ctx.method === 'DELETE' ? null : await body(ctx);
    if (typeof input === 'number') return refuse(ctx, 400, 'The body must be JSON.');
    if (kind === 'sellers') {
      const seller = Object.hasOwn(sellers, name) ? sellers[name] : undefined;
      if (!seller) return refuse(ctx, 404, unknown('seller', name, menu.sellers));
      const value = input === null ? null : (input.value ?? {});
      const changed = isRotation ? rotateKey(seller, value) : await changeSeller(seller, value);
      if (typeof changed === 'string') return refuse(ctx, 400, changed);
      ctx.body = { seller: name, ...changed };
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
