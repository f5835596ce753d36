import type { Failure, Json } from '@portico/core';
import type { Context } from 'koa';
import type { Result } from 'neverthrow';
import { sendFailure } from './problem.ts';

/** Passes a downstream's JSON on as it came (204 when it has none), or says what went wrong. */
export const reply = (ctx: Context, result: Result<Json, Failure>, status = 200): void =>
  result.match(
    (json) => sendJson(ctx, json, status),
    (failure) => sendFailure(ctx, failure),
  );

/** The same for what is written back under its entity tag: sends the tag, where the service gave one, as `ETag`. */
export const replyWithEtag = (ctx: Context, result: Result<Json, Failure>): void => {
  if (result.isOk() && result.value.etag !== undefined) ctx.set('ETag', result.value.etag);
  reply(ctx, result);
};

export const sendJson = (ctx: Context, { text }: Pick<Json, 'text'>, status: number): void => {
  if (text === '') {
    ctx.status = 204;
    ctx.body = null;
    return;
  }
  ctx.response.status = status;
  // Before the body, so that Koa need not guess it.
  ctx.res.setHeader('Content-Type', 'application/json; charset=utf-8');
  ctx.response.body = text;
};
