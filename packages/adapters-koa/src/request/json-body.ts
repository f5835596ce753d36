import { type Json, nestsDeeperThan } from '@portico/core';
import type { Context, Middleware } from 'koa';
import { getRawBody } from 'raw-body';
import { sendContinue } from './expect-continue.ts';
import { type Problem, sendProblem } from '../response/problem.ts';

/** The same limit as in the core for bodies that are forwarded. */
const maxDepth = 64;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads a JSON body of one of these media types into `ctx.state.body`, or returns 400, 413 or 415. */
export const jsonBody =
  (limit: number, ...types: readonly [string, ...string[]]): Middleware =>
  async (ctx, next) => {
    const refuse = (problem: Problem) => sendProblem(ctx, problem);
    if (!isAcceptable(ctx, types))
      return refuse({
        code: 'unsupported-media-type',
        detail: `The body must be uncompressed ${types.join(' or ')} in UTF-8.`,
        ...(ctx.method === 'PATCH' && { headers: { 'Accept-Patch': types.join(', ') } }),
      });
    const bytes = await readBody(ctx, limit);
    if (bytes === 'disconnected') return undefined;
    if (bytes === 'too-large') return refuse({ code: 'too-large', detail: `The body must not exceed ${limit} bytes.` });
    const text = decodeText(bytes);
    const body = parseJson(text);
    if (!body) return refuse(text !== undefined && nestsDeeperThan(maxDepth, text) ? tooDeep : notJson);
    ctx.state['body'] = body;
    ctx.state['mediaType'] = ctx.request.type.toLowerCase();
    return next();
  };

const tooDeep: Problem = {
  code: 'invalid-request',
  detail: 'The body is nested too deeply.',
  errors: [{ path: '', message: `must not be nested more than ${maxDepth} levels deep` }],
};

const notJson: Problem = {
  code: 'invalid-request',
  detail: 'The body is not valid JSON.',
  errors: [{ path: '', message: 'must be valid JSON in UTF-8' }],
};

const isAcceptable = (ctx: Context, types: readonly string[]) =>
  types.includes(ctx.request.type.toLowerCase()) && /^(?:utf-?8)?$/i.test(ctx.request.charset) && isUncompressed(ctx);

export const isUncompressed = ({ request }: Context): boolean =>
  /^(?:identity)?$/i.test(request.get('Content-Encoding'));

/** Reads the body. `disconnected`: the client disconnected. Throws any other error. */
export const readBody = async (
  { req, request, res }: Context,
  limit: number,
): Promise<Buffer | 'too-large' | 'disconnected'> => {
  if ((request.length ?? 0) > limit) return 'too-large';
  sendContinue(res);
  try {
    return await getRawBody(req, { limit, length: request.length ?? null });
  } catch (error) {
    const { type } = error as { readonly type?: string };
    if (type === 'entity.too.large') return 'too-large';
    // `req.destroyed`: the client disconnected before reading began, while the token was verified.
    if (type === 'request.aborted' || type === 'request.size.invalid' || req.destroyed) return 'disconnected';
    throw error;
  }
};

/** Returns undefined if the bytes are not UTF-8. */
export const decodeText = (bytes: Buffer): string | undefined => {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
};

/** Returns undefined if the text is not JSON or is nested too deeply. */
const parseJson = (text: string | undefined): Json | undefined => {
  if (text === undefined || nestsDeeperThan(maxDepth, text)) return undefined;
  try {
    return { text, value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
};
