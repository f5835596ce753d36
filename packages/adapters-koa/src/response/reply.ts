import { bytesOf, type Failure, type Json, noContent, type ServiceResponse } from '@portico/core';
import type { Context } from 'koa';
import type { Result } from 'neverthrow';
import { sendFailure } from './problem.ts';

/** Relays a downstream's JSON unchanged (204 if there is none), or sends problem details for the failure. */
export const reply = (ctx: Context, result: Result<Json, Failure>): void =>
  result.match(
    (json) => sendJson(ctx, json, 200),
    (failure) => sendFailure(ctx, failure),
  );

/**
 * Relays a response of a service with its status, or sends problem details for the failure. With `sendsEtag`, the response
 * has the entity tag that a write of the same resource expects in `If-Match`, if the service returned one.
 */
export const relay = (ctx: Context, result: Result<ServiceResponse, Failure>, sendsEtag: boolean): void => {
  if (result.isErr()) return sendFailure(ctx, result.error);
  const { etag, status = 200 } = result.value;
  if (sendsEtag && etag !== undefined) ctx.set('ETag', etag);
  return sendJson(ctx, status === 204 ? noContent : result.value, status);
};

/** Sends a value as JSON. As `ctx.body`, an object would make Koa load Node's own `fetch` first. */
export const sendValue = (ctx: Context, value: object, status: number): void =>
  sendJson(ctx, { text: JSON.stringify(value) }, status);

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
