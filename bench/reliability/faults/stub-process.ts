/**
 * Stubs in a separate process, each on its own port with faults on command. Arguments: the ports by name, and the identity
 * provider's keys. Replies to each `StubCommand` with a `StubReport`.
 */
import type { RequestListener } from 'node:http';
import { watchStalls } from '../oracle/stalls.ts';
import { type Fault, startFaultyServer } from './faulty-server.ts';
import { sellerStub } from './seller-stub.ts';
import { serviceStub } from './service-stub.ts';

/** Without a target, it only requests the report. */
export interface StubCommand {
  readonly target?: string;
  readonly fault?: Fault | null;
}

const [, , ports = '', jwks = ''] = process.argv;
const stalls = watchStalls();
const [moa, mh] = [sellerStub('moa'), sellerStub('mh')];
const listeners: Readonly<Record<string, RequestListener>> = {
  identity: (_, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(jwks),
  moa: moa.listener,
  mh: mh.listener,
};
const servers = new Map<string, Awaited<ReturnType<typeof startFaultyServer>>>();
for (const [name, port] of Object.entries(JSON.parse(ports) as Record<string, number>))
  servers.set(name, await startFaultyServer(listeners[name] ?? serviceStub, port));

const execute = async ({ target = '', fault = null }: StubCommand) => {
  await servers.get(target)?.setFault(fault);
  const [one, other] = [moa.report(), mh.report()];
  return { sent: one.sent + other.sent, failed: [...one.failed, ...other.failed], stalls };
};

/** Callbacks that the sellers sent, those with an unexpected response, and the stalls of this process. */
export type StubReport = Awaited<ReturnType<typeof execute>>;

process.on('message', (command: StubCommand) => {
  void execute(command).then((report) => process.send?.(report));
});
process.on('disconnect', () => process.exit());
process.stdout.write('{}\n');
