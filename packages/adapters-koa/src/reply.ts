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

export const sendJson = (ctx: Context, { text }: Pick<Json, 'text'>, status: number): void => {
  ctx.status = text === '' ? 204 : status;
  ctx.body = text === '' ? null : text;
  if (text !== '') ctx.set('Content-Type', 'application/json; charset=utf-8');
};
