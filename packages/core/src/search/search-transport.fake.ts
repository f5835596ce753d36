import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { Signal } from '../runtime/signal.ts';
import type { Envelope } from './envelope.ts';
import type { Leg, LegFailure } from './leg.ts';
import type { Acknowledgement, SearchTransport } from './search-transport.port.ts';

/** A post that the transport was asked for, waiting to be told how it went. */
export interface FakePost {
  readonly leg: Leg;
  readonly envelope: Envelope;
  readonly signal: Signal;
  /** How it went; only the first answer counts. */
  answer(result: Result<Acknowledgement, LegFailure>): void;
}

export interface FakeSearchTransport extends SearchTransport {
  /** Every post so far, oldest first. */
  readonly posts: readonly FakePost[];
}

/**
 * Answers each post as the script says, at once; without a word for a leg, the post waits for `answer`.
 * A post that is given up fails `bap_unreachable`.
 */
export const fakeSearchTransport = (
  script: Readonly<Record<string, Result<Acknowledgement, LegFailure>>> = {},
): FakeSearchTransport => {
  const posts: FakePost[] = [];
  return {
    posts,
    post: (leg, envelope, signal) => {
      const scripted = Object.hasOwn(script, leg.id) ? script[leg.id] : undefined;
      const { promise, resolve } = Promise.withResolvers<Result<Acknowledgement, LegFailure>>();
      posts.push({ leg, envelope, signal, answer: resolve });
      if (signal.aborted) resolve(err(givenUp));
      if (scripted) resolve(scripted);
      signal.addEventListener('abort', () => resolve(err(givenUp)));
      return new ResultAsync(promise);
    },
  };
};

const givenUp: LegFailure = { kind: 'bap_unreachable', detail: 'the post was given up' };

/** The plain acknowledgement, for scripts. */
export const acknowledged: Result<Acknowledgement, LegFailure> = ok({ outcome: 'ack' });
