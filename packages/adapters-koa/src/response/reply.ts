import { bytesOf, type Failure, type Json } from '@portico/core';
import type { Context } from 'koa';
import type { Result } from 'neverthrow';
import { sendFailure } from './problem.ts';

/** Relays a downstream's JSON unchanged (204 if there is none), or sends problem details for the failure. */
export const reply = (ctx: Context, result: Result<Json, Failure>, status = 200): void =>
  result.match(
    (json) => sendJson(ctx, json, status),
    (failure) => sendFailure(ctx, failure),
  );

/** The same for a resource that supports `If-Match`: also sends its entity tag, if the service returned one. */
export const replyWithEtag = (ctx: Context, result: Result<Json, Failure>): void => {
  if (result.isOk() && result.value.etag !== undefined) ctx.set('ETag', result.value.etag);
  reply(ctx, result);
};

/** Sends JSON text with this status, or 204 if there is none. */
export const sendJson = (ctx: Context, json: Pick<Json, 'text'>, status: number): void => {
  const bytes = bytesOf(json);
  const body = bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) : json.text;
  if (body.length === 0) {
    ctx.status = 204;
    ctx.body = null;
    return;
  }
  ctx.response.status = status;
  // Set before the body, so that Koa does not derive it from the body.
  ctx.res.setHeader('Content-Type', 'application/json; charset=utf-8');
  ctx.response.body = body;
};
