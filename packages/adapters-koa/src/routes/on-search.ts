import { type SearchUseCases, toJson } from '@portico/core';
import type { Context } from 'koa';
import { onSearchOperations } from '../openapi/operations/on-search.openapi.ts';
import { onSearchSchemas } from '../openapi/schemas/on-search.schemas.ts';
import { decodeText } from '../request/json-body.ts';
import { nack, sendNack } from '../response/nack.ts';
import { sendJson } from '../response/reply.ts';
import type { CallbackRoutes, CallbackSettings, Route } from '../routing/route.ts';

const ack = toJson({ message: { ack: { status: 'ACK' } } });

/** Every well-formed callback is acknowledged, whether a search waits for it or not. */
const receive =
  (use: Pick<SearchUseCases, 'receiveCallback' | 'refuseCallback'>, { gate, maxCallbackBytes }: CallbackSettings) =>
  async (ctx: Context): Promise<void> => {
    const answer = async (bytes: Buffer): Promise<void> => {
      const authorization = ctx.get('Authorization') || undefined;
      const received = await use.receiveCallback({ text: decodeText(bytes), bytes, authorization });
      received.match(
        () => sendJson(ctx, ack, 200),
        (failure) => sendNack(ctx, failure),
      );
    };
    const came = await gate(ctx, maxCallbackBytes, answer);
    if (came === 'full') {
      // The rest of the body is not waited for.
      if (!ctx.req.complete) ctx.set('Connection', 'close');
      sendNack(ctx, { kind: 'overloaded', retryAfterSeconds: 1 });
    } else if (came === 'too-large') {
      use.refuseCallback();
      nack(ctx, 413, 'too-large', `A callback may have at most ${maxCallbackBytes} bytes.`);
    }
  };

const callback = {
  method: 'POST',
  isAddressLimited: true,
  refusal: 'nack',
  handle: receive,
} as const satisfies Partial<Route<SearchUseCases, CallbackSettings>>;

/** Where sellers call back, with and without a slash at the end. */
export const onSearchRoutes: CallbackRoutes = {
  schemas: onSearchSchemas,
  routes: [
    { ...callback, path: '/on_search', operation: onSearchOperations.onSearch },
    { ...callback, path: '/on_search/', operation: onSearchOperations.onSearchSlash },
  ],
};
