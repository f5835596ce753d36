import { constants } from 'node:http2';
import { setImmediate } from 'node:timers/promises';
import {
  type LegOutcome,
  legOutcomeText,
  overloaded,
  type RunningSearch,
  searchResponseText,
  sellerCallbackText,
} from '@portico/core';
import type { Context } from 'koa';
import { searchOperations } from '../openapi/operations/search.openapi.ts';
import { searchSchemas } from '../openapi/schemas/search.schemas.ts';
import { disconnectSignal, isClosed } from '../request/disconnect-signal.ts';
import { http2Stream } from '../request/http2-stream.ts';
import { comment, event, prefersEvents, sendEvents } from '../response/event-stream.ts';
import { sendFailure } from '../response/problem.ts';
import { sendJson } from '../response/reply.ts';
import type { LegReport, SearchHandlerSettings, SearchRoutes } from '../routing/route.ts';

/**
 * Counts the bytes of results whose responses are not sent completely. When they are more than `maxBytes`, the responses whose
 * searches ended first are cut: clients that do not read must not keep others out.
 */
const unsentResults = (maxBytes: number) => {
  /** Cuts the responses whose searches have ended, in this order. */
  const ended = new Set<() => void>();
  let unsent = 0;
  /** Of the responses in `ended`. */
  let cuttable = 0;
  return {
    /** Whether another search may start: not while searches in progress fill the memory. */
    canMakeRoom: (): boolean => unsent - cuttable <= maxBytes,
    makeRoom: (): void => {
      for (const cut of ended) {
        if (unsent <= maxBytes) break;
        cut();
      }
    },
    count: ({ req, res }: Context, { legs, response }: RunningSearch): void => {
      let counted = 0;
      const forget = (): void => {
        if (ended.delete(cut)) cuttable -= counted;
        unsent -= counted;
        counted = 0;
      };
      const cut = (): void => {
        forget();
        // Without an error code, clients of HTTP/2 take it for the end of the response.
        const stream = http2Stream(res);
        if (stream) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
        // A pipelined response before its turn would stay in memory until then.
        else req.socket.destroy();
      };
      // Each of its observers adds a listener; without this, Node reports a leak from the eleventh on.
      res.setMaxListeners(0).once('close', forget);
      for (const leg of legs)
        void leg.then((outcome) => {
          if (isClosed(res)) return;
          const bytes = bytesOf(outcome);
          counted += bytes;
          unsent += bytes;
        });
      void response.then(() => {
        if (isClosed(res)) return;
        ended.add(cut);
        cuttable += counted;
      });
    },
  };
};

export const searchRoutes: SearchRoutes = {
  schemas: searchSchemas,
  routes: [
    {
      method: 'POST',
      path: '/api/search',
      operation: searchOperations.search,
      body: ['application/json'],
      isAddressLimited: true,
      handle: ({ search }, { maxUnsentBytes, onLeg }) => {
        const unsent = unsentResults(maxUnsentBytes);
        return async (ctx) => {
          ctx.set('Cache-Control', 'no-store');
          const isStreamed = prefersEvents(ctx);
          if (!unsent.canMakeRoom()) return sendFailure(ctx, overloaded());
          const signal = disconnectSignal(ctx);
          const searching = search(ctx.state.body.value, signal);
          // Not kept while the search waits: parsed, the fields that a client adds may take 15 times their size.
          Object.assign(ctx.state, { body: undefined });
          const started = await searching;
          if (started.isErr()) return sendFailure(ctx, started.error);
          if (onLeg) reportLegs(ctx, started.value, signal, onLeg);
          unsent.makeRoom();
          unsent.count(ctx, started.value);
          if (isStreamed) return sendEvents(ctx, eventsOf(started.value));
          return sendJson(ctx, { text: searchResponseText(await started.value.response) }, 200);
        };
      },
    },
  ],
};

const reportLegs = (
  ctx: Context,
  { legs }: RunningSearch,
  signal: AbortSignal,
  onLeg: NonNullable<SearchHandlerSettings['onLeg']>,
): void => {
  for (const leg of legs)
    void leg
      .then((outcome) =>
        onLeg({
          leg: outcome.leg.id,
          outcome: legOutcomeOf(outcome, signal.aborted),
          sellerErrors: sellerErrorsOf(outcome),
          durationMs: outcome.elapsedMs,
        }),
      )
      // A callback of the operator may throw.
      .catch((error: unknown) => ctx.app.emit('error', error, ctx));
};

const legOutcomeOf = (outcome: LegOutcome, isCancelled: boolean): LegReport['outcome'] => {
  if ('callback' in outcome) return outcome.sellerError ? 'seller-error' : 'delivered';
  if (outcome.error.kind === 'timeout') return 'timeout';
  if (isCancelled) return 'cancelled';
  return sellerErrorsOf(outcome) > 0 ? 'seller-error' : 'unreachable';
};

const sellerErrorsOf = (outcome: LegOutcome): number => {
  if (outcome.sellers) return outcome.sellers.filter(({ error }) => error).length;
  return 'sellerError' in outcome && outcome.sellerError ? 1 : 0;
};

/** The size of a result. The bodies that a leg has collected are not joined for it. */
const bytesOf = (outcome: LegOutcome): number => {
  // Also when every seller sent an error: an event stream keeps the callbacks until they are sent.
  if (outcome.sellers)
    return outcome.sellers.reduce((bytes, { callback }) => bytes + Buffer.byteLength(callback.text), 0);
  return 'callback' in outcome ? Buffer.byteLength(outcome.callback.text) : 0;
};

/**
 * Yields a `callback` event for each callback of a leg that collects, a `leg` event as each leg settles, then `done` with
 * the whole response. Each event is created after the previous one was read.
 */
async function* eventsOf({ events, response }: RunningSearch): AsyncGenerator<Buffer> {
  yield comment('searching');
  for await (const one of events) {
    if (one.type === 'callback') {
      yield event('callback', sellerCallbackText(one.callback));
      continue;
    }
    // Node sends written data only at the end of the turn: without a pause, the last callback would wait until its leg is joined.
    if (one.outcome.sellers) await setImmediate();
    yield event('leg', legOutcomeText(one.outcome));
  }
  yield event('done', searchResponseText(await response));
}
