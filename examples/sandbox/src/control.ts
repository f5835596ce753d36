import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import type { Fault, FaultyServer } from './faults.ts';
import { body } from './service.ts';

/** The fields that each kind of fault needs, and an example to show. */
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

/** Faults by HTTP, for whoever plays with the demo: `PUT /faults/claims`, `DELETE /faults/claims`, `GET /faults`. */
export const startControl = async (services: Readonly<Record<string, FaultyServer>>, port = 0): Promise<Control> => {
  const app = new Koa();
  app.use(async (ctx) => {
    const name = /^\/faults\/([a-z]+)$/.exec(ctx.path)?.[1] ?? '';
    const target = Object.hasOwn(services, name) ? services[name] : undefined;
    if (!target || !['PUT', 'DELETE'].includes(ctx.method)) {
      ctx.status = ctx.path === '/faults' && ctx.method === 'GET' ? 200 : 404;
      ctx.body = { services: Object.keys(services), faults: Object.values(examples) };
      return;
    }
    const fault = ctx.method === 'PUT' ? parseFault((await body(ctx)).value) : null;
    if (fault === undefined) {
      ctx.status = 400;
      ctx.body = { error: 'no such fault', faults: Object.values(examples) };
      return;
    }
    await target.setFault(fault);
    ctx.body = { service: name, fault };
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

const parseFault = (value: unknown): Fault | undefined => {
  const fault = value as Readonly<Record<string, unknown>> | null;
  const kind = fault?.['kind'];
  if (typeof kind !== 'string' || !Object.hasOwn(examples, kind)) return undefined;
  const example = Object.entries(examples[kind as Fault['kind']]);
  return example.every(([name, sample]) => typeof fault?.[name] === typeof sample) ? (fault as Fault) : undefined;
};
