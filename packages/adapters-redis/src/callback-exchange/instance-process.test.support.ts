import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Clock, Failure, OfferOutcome } from '@portico/core';
import { redisCallbackExchange, type RedisExchangeSettings } from './exchange.ts';

/** What the parent process sends. Legs wait until they are released: nothing here counts their time. */
export interface Commands {
  expect: { readonly id: string; readonly isVerifiedOnly: boolean; readonly ttlMs: number };
  offer: { readonly id: string; readonly callback: string; readonly isVerified: boolean };
  release: { readonly id: string };
  busy: { readonly ms: number };
  state: object;
}

export interface Replies {
  /** Whether Redis has taken the registration. */
  expect: boolean;
  offer: OfferOutcome | Failure['kind'];
  release: undefined;
  busy: undefined;
  state: { readonly pending: number; readonly degradedReason: string | undefined };
}

type Sent = {
  [Name in keyof Commands]: { readonly nr: number; readonly name: Name; readonly of: Commands[Name] };
}[keyof Commands];
type Received =
  | { readonly nr: number; readonly reply: unknown }
  | { readonly deliveredTo: string; readonly callback: string };

/** An exchange in a process of its own, which can be kept busy and killed. */
export class InstanceProcess {
  readonly #child: ChildProcess;
  readonly #awaited = new Map<number, (reply: unknown) => void>();
  #nr = 0;
  isAlive = true;

  constructor(settings: Omit<RedisExchangeSettings, 'clock'>, onDelivered: (id: string, callback: string) => void) {
    this.#child = fork(fileURLToPath(import.meta.url), [JSON.stringify(settings)], {
      execArgv: ['--conditions=@portico/source'],
      serialization: 'advanced',
    });
    this.#child.on('message', (message: Received) => {
      if ('deliveredTo' in message) return onDelivered(message.deliveredTo, message.callback);
      this.#awaited.get(message.nr)?.(message.reply);
      this.#awaited.delete(message.nr);
    });
    this.#child.once('close', () => {
      this.isAlive = false;
      for (const resolve of this.#awaited.values()) resolve(undefined);
    });
  }

  /** Undefined when the process ends before it replies. */
  call<Name extends keyof Commands>(name: Name, of: Commands[Name]): Promise<Replies[Name] | undefined> {
    return new Promise((resolve) => {
      if (!this.isAlive) return resolve(undefined);
      const nr = ++this.#nr;
      this.#awaited.set(nr, (reply) => resolve(reply as Replies[Name] | undefined));
      this.#child.send({ nr, name, of }, () => {});
    });
  }

  /** At once, as the system ends a process that has used up its memory. */
  async kill(): Promise<void> {
    this.isAlive = false;
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await closed;
  }
}

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

const serve = (send: (message: Received) => void, settings: Omit<RedisExchangeSettings, 'clock'>): void => {
  const exchange = redisCallbackExchange({ ...settings, clock });
  const perform = async ({ name, of }: Sent): Promise<Replies[keyof Replies]> => {
    if (name === 'expect') {
      const deliver = (callback: string) => send({ deliveredTo: of.id, callback });
      await exchange.expect([{ ...of, transactionId: of.id, legId: 'leg', deliver }], of.ttlMs);
      return exchange.degradedReason === undefined;
    }
    if (name === 'offer')
      return (await exchange.offer(of.id, of.callback, of.isVerified)).match(
        (fate) => fate,
        ({ kind }) => kind,
      );
    if (name === 'state') return { pending: exchange.pending, degradedReason: exchange.degradedReason };
    if (name === 'release') exchange.release(of.id);
    else for (const until = performance.now() + of.ms; performance.now() < until;);
    return undefined;
  };
  process.on('message', async (sent: Sent) => send({ nr: sent.nr, reply: await perform(sent) }));
  process.once('disconnect', () => process.exit());
};

if (process.send && process.argv[1] === fileURLToPath(import.meta.url))
  serve((message) => void process.send?.(message), JSON.parse(process.argv[2]!) as RedisExchangeSettings);
