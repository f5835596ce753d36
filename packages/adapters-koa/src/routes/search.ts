import { PassThrough } from 'node:stream';
import { Router } from '@koa/router';
import { legOutcomeText, type RunningSearch, searchAnswerText, type SearchUseCases } from '@portico/core';
import type { Context } from 'koa';
import { clientGone } from '../client-gone.ts';
import { jsonBody } from '../json-body.ts';
import { sendFailure } from '../problem.ts';
import { sendJson } from '../reply.ts';
import type { SearchState } from '../search-routes.ts';

export const searchRoutes = (use: Pick<SearchUseCases, 'search'>, maxRequestBytes: number) =>
  new Router<SearchState>({ sensitive: true, strict: true }).post(
    '/api/search',
    jsonBody(maxRequestBytes, 'application/json'),
    async (ctx) => {
      ctx.set('Cache-Control', 'no-store');
      ctx.vary('Accept');
      const started = await use.search(ctx.state.body.value, clientGone(ctx));
      if (started.isErr()) return sendFailure(ctx, started.error);
      if (ctx.accepts('application/json', 'text/event-stream') === 'text/event-stream')
        return sendEvents(ctx, started.value);
      return sendJson(ctx, { text: searchAnswerText(await started.value.answer) }, 200);
    },
  );

/** A `leg` event as each leg settles, then `done` with the whole answer (server-sent events, HTML Living Standard 9.2). */
const sendEvents = (ctx: Context, { legs, answer }: RunningSearch): void => {
  const events = new PassThrough();
  const send = (name: string, data: string) => {
    if (!events.destroyed) events.write(event(name, data));
  };
  ctx.status = 200;
  ctx.body = events;
  ctx.set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
  events.write(': searching\n\n'); // the headers go out with the first bytes
  for (const leg of legs) void leg.then((outcome) => send('leg', legOutcomeText(outcome)));
  void answer.then((all) => {
    send('done', searchAnswerText(all));
    events.end();
  });
};

/** A callback's own line breaks, which stand between its JSON tokens, each begin another `data` line. */
const event = (name: string, data: string): string =>
  `event: ${name}\ndata: ${data.replaceAll(/\r\n?|\n/g, '\ndata: ')}\n\n`;
