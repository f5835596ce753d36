/**
 * Stubs in a separate process, each on its own port with faults on command. Arguments: names with their ports, and the identity
 * provider's keys. Replies to each `StubCommand` over IPC with a `StubReport`.
 */
import type { RequestListener } from 'node:http';
import { watchStalls } from '../stalls.ts';
import { type Fault, startFaultyServer } from './faulty-server.ts';
import { callbacks, sellerStub } from './seller-stub.ts';
import { serviceStub } from './service-stub.ts';

/** Without a target, it only requests the report. */
export interface StubCommand {
  readonly target?: string;
  readonly fault?: Fault | null;
}

const [, , named = '', jwks = ''] = process.argv;
const report = { callbacks, stalls: watchStalls() };
export type StubReport = typeof report;

const listeners: Readonly<Record<string, RequestListener>> = {
  identity: (_, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(jwks),
  moa: sellerStub('moa'),
  mh: sellerStub('mh'),
};
const setFaultOf = new Map<string, Awaited<ReturnType<typeof startFaultyServer>>>();
for (const [name, port] of JSON.parse(named) as readonly (readonly [string, number])[])
  setFaultOf.set(name, await startFaultyServer(listeners[name] ?? serviceStub, port));

process.on('message', async ({ target = '', fault = null }: StubCommand) => {
  await setFaultOf.get(target)?.(fault);
  process.send?.(report);
});
process.on('disconnect', () => process.exit());
process.stdout.write('{}\n');
