import { invalid, type Json, type Leg, type LegEvent } from '@portico/core';
import { err, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { parseServerSentEvents } from 'parse-sse';
import type { HeardSearch, SearchCalls, SearchJson } from './calls.ts';
import { type ClientFailure, notPortico } from './failure.ts';
import { createFeed } from './feed.ts';
import { isObject, mediaTypeOf, parseJson } from './json.ts';
import { type OpenAnswer, strange, type Transport } from './transport.ts';

export const searchCalls = ({ open, ask }: Transport, timeoutMs: number): SearchCalls => ({
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
      }).andThen(hear),
    ),
  listLegs: (signal) =>
    ask({ path: '/api/legs', isPublic: true, signal }).andThen(({ json, response }) => {
      const legs = legsIn(json.value);
      return legs ? ok(legs) : err(notPortico(response));
    }),
});

/** A request is whatever the caller has, also what no JSON can say. */
const textOf = (request: unknown): Result<string, ClientFailure> => {
  try {
    return ok(JSON.stringify(request) ?? 'null');
  } catch {
    return err(invalid('A search has a persona, a query and a user_id.', { path: '', message: 'must be JSON' }));
  }
};

const hear = ({ response, lifetime }: OpenAnswer): ResultAsync<HeardSearch, ClientFailure> => {
  if (mediaTypeOf(response) !== 'text/event-stream' || !response.body) {
    lifetime.done();
    return strange(response);
  }
  const legs = createFeed<LegEvent>();
  const answer = lifetime
    .await(
      () => readEvents(response, legs.push),
      () => ({ kind: 'broken-off' }),
    )
    .andThen((read) => read)
    .andTee(() => lifetime.done())
    .orTee(() => lifetime.done());
  void answer.then(legs.end);
  return okAsync({ legs, answer });
};

const readEvents = async (
  response: Response,
  settled: (event: LegEvent) => void,
): Promise<Result<SearchJson, ClientFailure>> => {
  const events = parseServerSentEvents(response).getReader();
  for (let next = await events.read(); !next.done; next = await events.read()) {
    const { type, data } = next.value;
    if (type !== 'leg' && type !== 'done') continue;
    const json = parseJson(data);
    if (json && type === 'leg' && isLegEvent(json.value)) settled(json.value);
    else if (json && type === 'done' && isAnswer(json)) {
      void readOn(events);
      return ok(json);
    } else {
      events.cancel().catch(() => {});
      return err(notPortico(response));
    }
  }
  return err({ kind: 'broken-off' });
};

/** To the end: whoever lets go of a stream that has not ended looks like somebody who left. */
const readOn = async (events: ReadableStreamDefaultReader<unknown>): Promise<void> => {
  try {
    while (!(await events.read()).done);
  } catch {
    // The answer is there; how its connection ends is all the same.
  }
};

const isTrace = (value: unknown): value is LegEvent['trace'] =>
  isObject(value) &&
  typeof value['transaction_id'] === 'string' &&
  typeof value['elapsed_ms'] === 'number' &&
  typeof value['label'] === 'string';

const isLegError = (value: unknown): value is NonNullable<LegEvent['error']> =>
  isObject(value) && typeof value['kind'] === 'string' && typeof value['detail'] === 'string';

const isLegEvent = (value: unknown): value is LegEvent =>
  isObject(value) &&
  typeof value['leg'] === 'string' &&
  isTrace(value['trace']) &&
  (value['error'] === undefined || isLegError(value['error']));

const isAnswer = (json: Json): json is SearchJson => {
  if (!isObject(json.value) || !isObject(json.value['traces'])) return false;
  const { traces, errors = {} } = json.value;
  return (
    typeof json.value['elapsed_ms'] === 'number' &&
    Object.values(traces).every(isTrace) &&
    isObject(errors) &&
    Object.values(errors).every(isLegError)
  );
};

type PublicLeg = Omit<Leg, 'extraContext' | 'verifyCallbacks'>;

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
} as const satisfies Record<keyof PublicLeg, string>;

/** Nothing when one of them is no leg. */
const legsIn = (value: unknown): readonly Leg[] | undefined => {
  const given = isObject(value) ? value['legs'] : undefined;
  if (!Array.isArray(given) || !given.every(isPublicLeg)) return undefined;
  return given.map(
    (leg) =>
      Object.fromEntries(Object.entries(legFields).map(([name, field]) => [name, leg[field]])) as unknown as PublicLeg,
  );
};

const isPublicLeg = (value: unknown): value is Readonly<Record<string, string>> =>
  isObject(value) && Object.values(legFields).every((field) => typeof value[field] === 'string');
