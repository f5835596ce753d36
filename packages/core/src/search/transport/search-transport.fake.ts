import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { Signal } from '../../runtime/signal.ts';
import type { Envelope } from '../envelope.ts';
import type { Leg, LegFailure } from '../leg.ts';
import type { Acknowledgement, SearchTransport } from './search-transport.port.ts';

/** A post to the fake transport, which settles when `respond` is called. */
export interface FakePost {
  readonly leg: Leg;
  readonly envelope: Envelope;
  readonly signal: Signal;
  /** Settles the post with this result. Only the first call has an effect. */
  respond(result: Result<Acknowledgement, LegFailure>): void;
}

export interface FakeSearchTransport extends SearchTransport {
  /** Every post so far, oldest first. */
  readonly posts: readonly FakePost[];
}

/**
 * Settles each post at once with the result that `script` has for its leg. A post to a leg that is not in the script
 * waits for `respond`. A cancelled post fails `bap_unreachable`.
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
      posts.push({ leg, envelope, signal, respond: resolve });
      if (signal.aborted) resolve(err(cancelled));
      if (scripted) resolve(scripted);
      const cancel = () => resolve(err(cancelled));
      signal.addEventListener('abort', cancel);
      return new ResultAsync(
        promise.then((result) => {
          signal.removeEventListener('abort', cancel);
          return result;
        }),
      );
    },
  };
};

const cancelled: LegFailure = { kind: 'bap_unreachable', detail: 'the post was cancelled' };

/** An acknowledgement (ACK) without a catalog, for scripts. */
export const acknowledged: Result<Acknowledgement, LegFailure> = ok({ outcome: 'ack' });
