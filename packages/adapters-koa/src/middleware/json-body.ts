import { type Json, maxBodyDepth, nestsDeeperThan, overloaded } from '@portico/core';
import type { Context, Middleware } from 'koa';
import { fromThrowable } from 'neverthrow';
import { heldBytes } from '../request/body/held-bytes.ts';
import { serverDefaults } from '../request/server-defaults.ts';
import { decodeText, isUncompressed, readBody } from '../request/body/read-body.ts';
import { stopReceiving } from '../response/close-connection.ts';
import { type Problem, sendFailure, sendProblem } from '../response/problem.ts';

/** Defaults: `serverDefaults`. */
export interface BodyLimits {
  /** Maximum size of a request body in bytes. */
  readonly maxRequestBytes?: number;
  /**
   * The memory for all incomplete bodies is limited to `maxIncompleteBodies` × `maxRequestBytes`; beyond it, the oldest
   * get 503.
   */
  readonly maxIncompleteBodies?: number;
}

/** Reads a JSON body of one of these media types into `ctx.state.body`, or returns 400, 413, 415 or 503. */
export const jsonBody = (limit: number, ...types: readonly [string, ...string[]]): Middleware =>
  jsonBodies({ maxRequestBytes: limit })(...types);

/** `jsonBody` for several routes. Clients that stop sending must not fill the memory. */
export const jsonBodies = ({
  maxRequestBytes: limit = serverDefaults.maxRequestBytes,
  maxIncompleteBodies = serverDefaults.maxIncompleteBodies,
}: BodyLimits = {}) => {
  const hold = heldBytes(maxIncompleteBodies * limit);
  return (...types: readonly [string, ...string[]]): Middleware =>
    async (ctx, next) => {
      const refuse = (problem: Problem) => sendProblem(ctx, problem);
      if (!isAcceptable(ctx, types))
        return refuse({
          code: 'unsupported-media-type',
          detail: `The body must be uncompressed ${types.join(' or ')} in UTF-8.`,
          ...(ctx.method === 'PATCH' && { headers: { 'Accept-Patch': types.join(', ') } }),
        });
      const { full, release } = hold(ctx.req);
      const bytes = await readBody(ctx, limit, full).finally(release);
      if (bytes === 'disconnected') return undefined;
      if (bytes === 'full') {
        stopReceiving(ctx);
        return sendFailure(ctx, overloaded());
      }
      if (bytes === 'too-large')
        return refuse({ code: 'too-large', detail: `The body must not exceed ${limit} bytes.` });
      const text = decodeText(bytes) ?? '';
      if (nestsDeeperThan(maxBodyDepth, text)) return refuse(tooDeep);
      const body = parseJson(text);
      if (body.isErr()) return refuse(notJson);
      ctx.state['body'] = body.value;
      ctx.state['mediaType'] = ctx.request.type.toLowerCase();
      return next();
    };
};

const tooDeep: Problem = {
  code: 'invalid-request',
  detail: 'The body is nested too deeply.',
  errors: [{ path: '', message: `must not be nested more than ${maxBodyDepth} levels deep` }],
};

const notJson: Problem = {
  code: 'invalid-request',
  detail: 'The body is not valid JSON.',
  errors: [{ path: '', message: 'must be valid JSON in UTF-8' }],
};

const isAcceptable = (ctx: Context, types: readonly string[]) =>
  types.includes(ctx.request.type.toLowerCase()) && /^(?:utf-?8)?$/i.test(ctx.request.charset) && isUncompressed(ctx);

const parseJson = fromThrowable((text: string): Json => ({ text, value: JSON.parse(text) as unknown }));
