import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { CollectLimits, Failure, OfferOutcome } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { redisCallbackExchange, type RedisExchangeSettings } from './exchange.ts';

/** The messages of the parent process. Legs wait until they are released, without a timeout. */
export interface Commands {
  expect: {
    readonly id: string;
    readonly isVerifiedOnly: boolean;
    readonly collects?: CollectLimits | undefined;
    readonly ttlMs: number;
  };
  offer: { readonly id: string; readonly callback: string; readonly isVerified: boolean };
  release: { readonly id: string };
  busy: { readonly ms: number };
  state: object;
}

export interface Replies {
  /** Whether Redis has accepted the registration. */
  expect: boolean;
  offer: OfferOutcome | Failure['kind'];
  release: undefined;
  busy: undefined;
  state: { readonly pending: number; readonly degradedReason: string | undefined };
}

type CommandMessage = {
  [Name in keyof Commands]: { readonly id: number; readonly name: Name; readonly of: Commands[Name] };
}[keyof Commands];
type ReplyMessage =
  | { readonly id: number; readonly reply: unknown }
  | { readonly deliveredTo: string; readonly callback: string };

/** Shared by all instances: most processor time of a new one is for compiling the same modules. */
export const compileCache = fileURLToPath(new URL('../../../../node_modules/.cache/portico-tests', import.meta.url));

/** An exchange in a separate process, whose event loop can be blocked and which can be killed. */
export class InstanceProcess {
  readonly #child: ChildProcess;
  readonly #pendingReplies = new Map<number, (reply: unknown) => void>();
  #id = 0;
  isAlive = true;

  constructor(settings: Omit<RedisExchangeSettings, 'clock'>, onDelivered: (id: string, callback: string) => void) {
    this.#child = fork(fileURLToPath(import.meta.url), [JSON.stringify(settings)], {
      execArgv: ['--conditions=@portico/source'],
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
      serialization: 'advanced',
    });
    this.#child.on('message', (message: ReplyMessage) => {
      if ('deliveredTo' in message) return onDelivered(message.deliveredTo, message.callback);
      this.#pendingReplies.get(message.id)?.(message.reply);
      this.#pendingReplies.delete(message.id);
    });
    this.#child.once('close', () => {
      this.isAlive = false;
      for (const resolve of this.#pendingReplies.values()) resolve(undefined);
    });
  }

  /** Sends a command. Resolves with the reply, or undefined when the process ends first. */
  call<Name extends keyof Commands>(name: Name, of: Commands[Name]): Promise<Replies[Name] | undefined> {
    return new Promise((resolve) => {
      if (!this.isAlive) return resolve(undefined);
      const id = ++this.#id;
      this.#pendingReplies.set(id, (reply) => resolve(reply as Replies[Name] | undefined));
      this.#child.send({ id, name, of }, () => {});
    });
  }

  /** Kills the process at once (SIGKILL), like the out-of-memory killer. */
  async kill(): Promise<void> {
    this.isAlive = false;
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await closed;
  }
}

const serve = (send: (message: ReplyMessage) => void, settings: Omit<RedisExchangeSettings, 'clock'>): void => {
  const exchange = redisCallbackExchange({ ...settings, clock: systemClock });
  // Most instances are killed, so they never write the cache at their end.
  flushCompileCache();
  const execute = async ({ name, of }: CommandMessage): Promise<Replies[keyof Replies]> => {
    if (name === 'expect') {
      const deliver = (callback: string) => send({ deliveredTo: of.id, callback });
      await exchange.expect([{ ...of, transactionId: of.id, legId: 'leg', deliver }], of.ttlMs);
      return exchange.degradedReason === undefined;
    }
    if (name === 'offer')
      return (await exchange.offer(of.id, of.callback, { isVerified: of.isVerified })).match(
        (fate) => fate,
        ({ kind }) => kind,
      );
    if (name === 'state') return { pending: exchange.pending, degradedReason: exchange.degradedReason };
    if (name === 'release') exchange.release(of.id);
    else for (const until = performance.now() + of.ms; performance.now() < until;);
    return undefined;
  };
  process.on('message', async (message: CommandMessage) => send({ id: message.id, reply: await execute(message) }));
  process.once('disconnect', () => process.exit());
};

if (process.send && process.argv[1] === fileURLToPath(import.meta.url))
  serve((message) => void process.send?.(message), JSON.parse(process.argv[2]!) as RedisExchangeSettings);
