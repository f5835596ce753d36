import {
  createFeed,
  memberPageText,
  pageDoneText,
  partEventText,
  type PartText,
  problemOf,
  problemText,
  readMemberPage,
  type SettledPart,
} from '@portico/core';
import type { Context } from 'koa';
import { rateLimited } from '../middleware/rate-limit.ts';
import { meOperation } from '../openapi/me-operation.ts';
import { comment, event, prefersEvents, sendEvents } from '../response/event-stream.ts';
import { sendFailure } from '../response/problem.ts';
import { sendJson } from '../response/reply.ts';
import type { MemberHandlerSettings, MemberRoutes } from './route.ts';

/** `GET /me`: the reads of the other member routes in one response (contract, section 12). */
export const meRoutes: MemberRoutes = {
  composesReads: true,
  schemas: {},
  routes: [
    {
      method: 'GET',
      path: '/me',
      operation: meOperation([]),
      handle: (_, { parts, memberLimiter, onRateLimited }) => {
        const readPage = readMemberPage(parts, memberLimiter);
        return async (ctx) => {
          const started = readPage(ctx.state.member, ctx.querystring);
          if (started.isErr()) return sendFailure(ctx, started.error);
          const texts = started.value.map((part) => part.then((settled) => textOf(ctx, settled, onRateLimited)));
          const all = Promise.all(texts);
          // A callback of the operator may throw, and an event stream may never be read: HEAD, or a client that disconnects.
          all.catch(() => {});
          if (prefersEvents(ctx)) return sendEvents(ctx, eventsOf(texts, all));
          return sendJson(ctx, { text: memberPageText(await all) }, 200);
        };
      },
    },
  ],
};

/** The part with the status and the body, or the problem, that its own route would send. */
const textOf = (
  ctx: Context,
  { name, result }: SettledPart,
  onRateLimited: MemberHandlerSettings['onRateLimited'],
): PartText => {
  if (result.isOk()) {
    const { status = 200, text } = result.value;
    return status === 204 || text === '' ? { name, status: 204 } : { name, status, body: text };
  }
  const { error } = result;
  if (error.kind === 'rate-limited') onRateLimited?.('member');
  // With a context for each part: of one context, only the first error is reported.
  if (error.kind === 'unexpected') ctx.app.emit('error', error.cause, Object.create(ctx));
  const problem = error.kind === 'rate-limited' ? rateLimited : problemOf(error);
  const { status, text } = problemText(problem, ctx.state['requestId'] as string);
  return { name, status, problem: text };
};

/** Yields a `part` event as each part settles, then `done`. */
async function* eventsOf(
  parts: readonly Promise<PartText>[],
  all: Promise<readonly PartText[]>,
): AsyncGenerator<Buffer> {
  yield comment('reading');
  const settled = createFeed<PartText>();
  for (const part of parts) void part.then(settled.push, settled.end);
  void all.then(settled.end, settled.end);
  for await (const part of settled) yield event('part', partEventText(part));
  yield event('done', pageDoneText(await all));
}
