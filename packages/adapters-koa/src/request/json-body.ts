import { type Json, nestsDeeperThan } from '@portico/core';
import type { Context, Middleware } from 'koa';
import { getRawBody } from 'raw-body';
import { type Problem, sendProblem } from '../response/problem.ts';

/** As in the core, for what is passed on. */
const deepestBody = 64;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads a JSON body of one of these media types into `ctx.state.body`, as it came, or answers 400, 413 or 415. */
export const jsonBody =
  (limit: number, ...types: readonly [string, ...string[]]): Middleware =>
  async (ctx, next) => {
    const refuse = (problem: Problem) => sendProblem(ctx, problem);
    if (!isAcceptable(ctx, types))
      return refuse({
        code: 'unsupported-media-type',
        detail: `The body must be ${types.join(' or ')} in UTF-8, not compressed.`,
        ...(ctx.method === 'PATCH' && { headers: { 'Accept-Patch': types.join(', ') } }),
      });
    const bytes = await readBody(ctx, limit);
    if (bytes === 'gone') return undefined;
    if (bytes === 'too-large')
      return refuse({ code: 'too-large', detail: `The body may have at most ${limit} bytes.` });
    const text = decodeText(bytes);
    const body = parseJson(text);
    if (!body) return refuse(text !== undefined && nestsDeeperThan(deepestBody, text) ? tooDeep : notJson);
    ctx.state['body'] = body;
    ctx.state['mediaType'] = ctx.request.type.toLowerCase();
    return next();
  };

const tooDeep: Problem = {
  code: 'invalid-request',
  detail: 'The body is nested too deep.',
  errors: [{ path: '', message: `must nest at most ${deepestBody} deep` }],
};

const notJson: Problem = {
  code: 'invalid-request',
  detail: 'The body is not valid JSON.',
  errors: [{ path: '', message: 'must be valid JSON in UTF-8' }],
};

const isAcceptable = ({ request }: Context, types: readonly string[]) =>
  types.includes(request.type.toLowerCase()) &&
  /^(?:utf-?8)?$/i.test(request.charset) &&
  /^(?:identity)?$/i.test(request.get('Content-Encoding'));

/** The bytes of the body, or why there are none to be had. */
export const readBody = async ({ req, request }: Context, limit: number): Promise<Buffer | 'too-large' | 'gone'> => {
  try {
    return await getRawBody(req, { limit, length: request.length ?? null });
  } catch (error) {
    const { type } = error as { readonly type?: string };
    if (type === 'entity.too.large') return 'too-large';
    // Also while its token was still looked at, before anybody read.
    if (type === 'request.aborted' || type === 'request.size.invalid' || req.destroyed) return 'gone';
    throw error;
  }
};

/** Nothing when it is not UTF-8. */
export const decodeText = (bytes: Buffer): string | undefined => {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
};

/** Nothing when it is not JSON, or nests too deep. */
const parseJson = (text: string | undefined): Json | undefined => {
  if (text === undefined || nestsDeeperThan(deepestBody, text)) return undefined;
  try {
    return { text, value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
};
