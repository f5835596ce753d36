import { err, fromThrowable, ok, type ResultAsync } from 'neverthrow';
import type { SearchStream, SearchCalls, SearchJson } from './calls.ts';
import { type ClientFailure, unexpectedResponseFailure } from './failures/failure.ts';
import { type EventReader, readEvents } from './event-stream.ts';
import {
  type CallbackEvent,
  createFeed,
  invalid,
  isObject,
  type Json,
  type LegErrorJson,
  type LegEvent,
  type ListedLeg,
  type SellerError,
} from '@portico/core';
import { parseJson } from './json.ts';
import type { OpenResponse, Transport } from './transport.ts';

/** The limits are those of the event stream of a search. */
export const searchCalls = (
  { open, requestJson }: Transport,
  { timeoutMs, maxBytes }: { readonly timeoutMs: number; readonly maxBytes: number },
): SearchCalls => ({
  search: (request, signal) =>
    textOf(request).asyncAndThen((text) =>
      open({
        method: 'POST',
        path: '/api/search',
        accept: 'text/event-stream',
        body: { text },
        isPublic: true,
        timeoutMs,
        signal,
      }).andThen((opened) => readStream(opened, maxBytes)),
    ),
  listLegs: (signal) =>
    requestJson({ path: '/api/legs', isPublic: true, signal }).andThen(({ json, response }) => {
      const legs = legsIn(json.value);
      return legs ? ok(legs) : err(unexpectedResponseFailure(response));
    }),
});

/** The request may be any value, even one that JSON cannot represent. */
const textOf = fromThrowable(
  (request: unknown): string => JSON.stringify(request) ?? 'null',
  (): ClientFailure =>
    invalid('The search request must have a valid persona, query and user_id.', { path: '', message: 'must be JSON' }),
);

const readStream = (opened: OpenResponse, maxBytes: number): ResultAsync<SearchStream, ClientFailure> => {
  const legs = createFeed<LegEvent>();
  const callbacks = createFeed<CallbackEvent>();
  return readEvents(opened, maxBytes, searchEvents(legs.push, callbacks.push)).map(({ done }) => {
    void done.then(() => {
      legs.end();
      callbacks.end();
    });
    return { legs, callbacks, response: done };
  });
};

const searchEvents =
  (onLeg: (event: LegEvent) => void, onCallback: (event: CallbackEvent) => void): EventReader<SearchJson> =>
  (name, data) => {
    if (name !== 'leg' && name !== 'callback' && name !== 'done') return 'next';
    const json = parseJson(data);
    if (json && name === 'leg' && isLegEvent(json.value)) onLeg(json.value);
    else if (json && name === 'callback' && isCallbackEvent(json.value)) onCallback(json.value);
    else return json && name === 'done' && isSearchJson(json) ? { done: json } : 'unexpected';
    return 'next';
  };

const isTrace = (value: unknown): value is LegEvent['trace'] =>
  isObject(value) &&
  typeof value['transaction_id'] === 'string' &&
  typeof value['elapsed_ms'] === 'number' &&
  typeof value['label'] === 'string' &&
  (value['seller_error'] === undefined || isSellerError(value['seller_error'])) &&
  isListOf(value['sellers'], (seller) => isSeller(seller) && typeof seller['elapsed_ms'] === 'number');

const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  value === undefined || (Array.isArray(value) && value.every(isItem));

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string';

const isSeller = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && isTextOrNull(value['bpp_id']) && isTextOrNull(value['message_id']);

const isSellerError = (value: unknown): value is SellerError =>
  isObject(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string';

/** A leg without a result has `kind` and `detail`; one with a result has the errors of some sellers only. */
const isLegError = (value: unknown): value is LegErrorJson =>
  isObject(value) &&
  (value['kind'] === undefined
    ? value['sellers'] !== undefined
    : typeof value['kind'] === 'string' && typeof value['detail'] === 'string') &&
  isListOf(value['sellers'], (seller) => isSeller(seller) && isSellerError(seller));

const isCallbackEvent = (value: unknown): value is CallbackEvent =>
  isObject(value) &&
  typeof value['leg'] === 'string' &&
  isTextOrNull(value['bpp_id']) &&
  (value['error'] === undefined || isSellerError(value['error']));

const isLegEvent = (value: unknown): value is LegEvent =>
  isObject(value) &&
  typeof value['leg'] === 'string' &&
  isTrace(value['trace']) &&
  (value['error'] === undefined || isLegError(value['error']));

const isSearchJson = (json: Json): json is SearchJson => {
  if (!isObject(json.value) || !isObject(json.value['traces'])) return false;
  const { traces, errors = {} } = json.value;
  return (
    typeof json.value['elapsed_ms'] === 'number' &&
    Object.values(traces).every(isTrace) &&
    isObject(errors) &&
    Object.values(errors).every(isLegError)
  );
};

/** The fields of a leg as `GET /api/legs` names them. */
const legFields = {
  id: 'id',
  label: 'label',
  domain: 'domain',
  version: 'version',
  city: 'city',
  categoryCode: 'category_code',
  bapId: 'bap_id',
  bapUri: 'bap_uri',
  gatewayUrl: 'gateway_url',
  gatewayPath: 'gateway_path',
  ttl: 'ttl',
} as const satisfies Partial<Record<keyof ListedLeg, string>>;

type PublicLeg = Pick<ListedLeg, keyof typeof legFields>;

/** Returns undefined when any of them is not a leg. */
const legsIn = (value: unknown): readonly ListedLeg[] | undefined => {
  const legs = isObject(value) ? value['legs'] : undefined;
  if (!Array.isArray(legs) || !legs.every(isPublicLeg)) return undefined;
  return legs.map(
    (leg) =>
      Object.fromEntries(Object.entries(legFields).map(([name, field]) => [name, leg[field]])) as unknown as PublicLeg,
  );
};

const isPublicLeg = (value: unknown): value is Readonly<Record<string, string>> =>
  isObject(value) && Object.values(legFields).every((field) => typeof value[field] === 'string');
