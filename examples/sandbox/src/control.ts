import Koa from 'koa';
import { type Fault, type FaultyServer, startFaultyServer } from './faults.ts';
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

/**
 * HTTP API that injects faults: `PUT` and `DELETE /faults/claims`, `PUT` and `DELETE /sellers/mh`, `POST /sellers/fast/key`
 * to rotate a key. `GET /faults` lists the services, sellers and kinds of faults.
 */
export const startControl = (
  services: Readonly<Record<string, FaultyServer>>,
  sellers: Readonly<Record<string, ControlledSeller>>,
  port = 0,
): Promise<FaultyServer> => startFaultyServer(new Koa().use(faultRoutes(services, sellers)).callback(), { port });

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
    const input = ctx.method === 'DELETE' ? null : await body(ctx, isRotation ? '{}' : '');
    if (input === 413) return refuse(ctx, 413, 'The body is too large.');
    if (input === 400) return refuse(ctx, 400, 'The body must be JSON.');
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
  if (wrong) return `A fault of kind ${kind} needs ${wrong[0]}, a ${typeof wrong[1]}.`;
  if (kind === 'status' && !isStatus(fault['status'])) return 'status must be an integer from 200 to 599.';
  return value as Fault;
};

/** Node cannot send others as the status of a final response. */
const isStatus = (status: unknown): boolean =>
  Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599;
