import { Readable } from 'node:stream';
import { Router } from '@koa/router';
import {
  type LegOutcome,
  legOutcomeText,
  type RunningSearch,
  searchAnswerText,
  type SearchUseCases,
} from '@portico/core';
import type { Context } from 'koa';
import { clientGone } from '../request/client-gone.ts';
import { jsonBody } from '../request/json-body.ts';
import { sendFailure } from '../response/problem.ts';
import { sendJson } from '../response/reply.ts';
import type { SearchState } from './search-routes.ts';

export const searchRoutes = (use: Pick<SearchUseCases, 'search'>, maxRequestBytes: number, maxUnsentBytes: number) => {
  /** What has arrived for searches whose responses are not sent to their end. Callbacks are JSON, mostly one byte a character. */
  let unsent = 0;
  const countUnsent = (ctx: Context, { legs }: RunningSearch): void => {
    let own = 0;
    for (const leg of legs)
      void leg.then((outcome) => {
        if (ctx.res.closed || !('callback' in outcome)) return;
        const { length } = outcome.callback.text;
        own += length;
        unsent += length;
      });
    ctx.res.once('close', () => {
      unsent -= own;
    });
  };

  return new Router<SearchState>({ sensitive: true, strict: true }).post(
    '/api/search',
    jsonBody(maxRequestBytes, 'application/json'),
    async (ctx) => {
      ctx.set('Cache-Control', 'no-store');
      ctx.vary('Accept');
      if (unsent > maxUnsentBytes) return sendFailure(ctx, { kind: 'overloaded', retryAfterSeconds: 1 });
      const started = await use.search(ctx.state.body.value, clientGone(ctx));
      if (started.isErr()) return sendFailure(ctx, started.error);
      countUnsent(ctx, started.value);
      if (ctx.accepts('application/json', 'text/event-stream') === 'text/event-stream')
        return sendEvents(ctx, started.value);
      return sendJson(ctx, { text: searchAnswerText(await started.value.answer) }, 200);
    },
  );
};

const sendEvents = (ctx: Context, search: RunningSearch): void => {
  ctx.status = 200;
  ctx.body = Readable.from(eventsOf(search));
  ctx.set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
};

/**
 * A `leg` event as each leg settles, then `done` with the whole response (server-sent events, HTML Living Standard 9.2).
 * Each event is made when the one before it has been read, so that a slow client holds one at a time.
 */
async function* eventsOf({ legs, answer }: RunningSearch): AsyncGenerator<string> {
  yield ': searching\n\n'; // the headers go out with the first bytes
  for await (const outcome of asTheySettle(legs)) yield event('leg', legOutcomeText(outcome));
  yield event('done', searchAnswerText(await answer));
}

async function* asTheySettle(legs: readonly Promise<LegOutcome>[]): AsyncGenerator<LegOutcome> {
  const waiting = new Map(legs.map((leg, nth) => [nth, leg.then((outcome) => ({ nth, outcome }))]));
  while (waiting.size > 0) {
    const { nth, outcome } = await Promise.race(waiting.values());
    waiting.delete(nth);
    yield outcome;
  }
}

/** Each of a callback's own line breaks, which can only be between its JSON tokens, begins another `data` line. */
const event = (name: string, data: string): string =>
  `event: ${name}\ndata: ${data.replaceAll(/\r\n?|\n/g, '\ndata: ')}\n\n`;
