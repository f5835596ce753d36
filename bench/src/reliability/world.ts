/**
 * A part of the outside world, in a process of its own: services, sellers or the identity provider's keys, each behind an
 * address at which it can be ill. Told as its first argument which, and at which ports it was before.
 */
import type { RequestListener } from 'node:http';
import type { Fault } from './fault.ts';
import { type IllServer, illServer } from './ill-server.ts';
import { seller } from './seller.ts';
import { services } from './services.ts';
import { watchStalls } from './stalls.ts';

export interface Part {
  /** By name; 0: any. */
  readonly ports: Readonly<Record<string, number>>;
  readonly jwks?: string;
}

export type Order = { readonly name: string; readonly fault: Fault | null } | { readonly report: true };

const { ports, jwks = '' } = JSON.parse(process.argv[2] ?? '') as Part;
const stalls = watchStalls();
const sellers = { moa: seller('moa'), mh: seller('mh') };

const identity: RequestListener = (_, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(jwks);
};
const listenerOf = (name: string): RequestListener => {
  if (name === 'identity') return identity;
  return name === 'moa' || name === 'mh' ? sellers[name].listener : services;
};

const servers = new Map<string, IllServer>();
for (const [name, port] of Object.entries(ports)) servers.set(name, await illServer(listenerOf(name), port));

const obey = async (order: Order): Promise<unknown> => {
  if ('report' in order) {
    const [moa, mh] = [sellers.moa.report(), sellers.mh.report()];
    return { sent: moa.sent + mh.sent, wrong: [...moa.wrong, ...mh.wrong], stalls };
  }
  await servers.get(order.name)?.turn(order.fault);
  return {};
};
process.on('message', (order: Order) => {
  void obey(order).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit());
process.stdout.write(`${JSON.stringify(Object.fromEntries([...servers].map(([name, { port }]) => [name, port])))}\n`);
