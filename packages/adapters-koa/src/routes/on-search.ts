import { overloaded, type SearchUseCases, toJson } from '@portico/core';
import type { Context } from 'koa';
import { onSearchOperations } from '../openapi/operations/on-search.openapi.ts';
import { onSearchSchemas } from '../openapi/schemas/on-search.schemas.ts';
import { countFields } from '../request/header-fields.ts';
import { decodeText, isUncompressed } from '../request/body/read-body.ts';
import { stopReceiving } from '../response/close-connection.ts';
import { nack, sendNack } from '../response/nack.ts';
import { sendJson } from '../response/reply.ts';
import type { CallbackRoutes, CallbackSettings, Route } from '../routing/route.ts';

const ack = toJson({ message: { ack: { status: 'ACK' } } });

/** Acknowledges every well-formed callback, whether or not a search waits for it. */
const receive =
  (use: Pick<SearchUseCases, 'receiveCallback' | 'refuseCallback'>, { gate, maxCallbackBytes }: CallbackSettings) =>
  async (ctx: Context): Promise<void> => {
    const acknowledge = async (bytes: Buffer): Promise<void> => {
      const authorization = signatureOf(ctx);
      const received = await use.receiveCallback({ text: decodeText(bytes), bytes, authorization });
      received.match(
        (outcome) =>
          outcome === 'full'
            ? nack(ctx, 429, 'limit-reached', 'This search has as many callbacks as it may collect.')
            : sendJson(ctx, ack, 200),
        (failure) => sendNack(ctx, failure),
      );
    };
    if (!isUncompressed(ctx)) {
      use.refuseCallback();
      return nack(ctx, 415, 'unsupported-media-type', 'A callback must not be compressed.');
    }
    const outcome = await gate(ctx, maxCallbackBytes, acknowledge);
    if (outcome === 'full') {
      stopReceiving(ctx);
      sendNack(ctx, overloaded());
    } else if (outcome === 'too-large') {
      use.refuseCallback();
      nack(ctx, 413, 'too-large', `A callback must not exceed ${maxCallbackBytes} bytes.`);
    }
  };

/** If the field is repeated, no value is used: Node keeps the first, but a proxy may have checked another. */
const signatureOf = (ctx: Context): string | undefined =>
  countFields(ctx.req, 'authorization') === 1 ? ctx.get('Authorization') || undefined : undefined;

const callback = {
  method: 'POST',
  isAddressLimited: true,
  refusal: 'nack',
  handle: receive,
} as const satisfies Partial<Route<SearchUseCases, CallbackSettings>>;

/** The callback routes of Beckn 1.1 and 2.0, with and without a trailing slash. They accept the same callbacks. */
export const onSearchRoutes: CallbackRoutes = {
  schemas: onSearchSchemas,
  routes: [
    { ...callback, path: '/on_search', operation: onSearchOperations.onSearch },
    { ...callback, path: '/on_search/', operation: onSearchOperations.onSearch, isAlias: true },
    { ...callback, path: '/on_discover', operation: onSearchOperations.onDiscover },
    { ...callback, path: '/on_discover/', operation: onSearchOperations.onDiscover, isAlias: true },
  ],
};
