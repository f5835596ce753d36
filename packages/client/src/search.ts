import { invalid, type Json, type Leg, type LegEvent } from '@portico/core';
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';
import { err, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import type { SearchStream, SearchCalls, SearchJson } from './calls.ts';
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

const hear = ({ response, lifetime }: OpenAnswer): ResultAsync<SearchStream, ClientFailure> => {
  if (mediaTypeOf(response) !== 'text/event-stream' || !response.body) {
    lifetime.done();
    return strange(response);
  }
  const events = eventsIn(response.body);
  const legs = createFeed<LegEvent>();
  const answer = lifetime
    .await(() => readEvents(events, legs.push), brokenOff)
    .andThen((read) => read ?? err(notPortico(response)));
  void answer.then(legs.end);
  const discard = () => {
    events.cancel().catch(() => {});
    lifetime.done();
  };
  // To the end also after the answer: whoever lets go of a stream that has not ended looks like somebody who left.
  void answer.andThen(() => lifetime.await(() => readOn(events), brokenOff)).match(discard, discard);
  return okAsync({ legs, answer });
};

type Events = ReadableStreamDefaultReader<EventSourceMessage>;

const eventsIn = (body: ReadableStream<Uint8Array<ArrayBuffer>>): Events =>
  body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();

const brokenOff = (): ClientFailure => ({ kind: 'interrupted' });

/** Nothing when they are not those of a search. */
const readEvents = async (
  events: Events,
  settled: (event: LegEvent) => void,
): Promise<Result<SearchJson, ClientFailure> | undefined> => {
  for (let next = await events.read(); !next.done; next = await events.read()) {
    const { event, data } = next.value;
    if (event !== 'leg' && event !== 'done') continue;
    const json = parseJson(data);
    if (json && event === 'leg' && isLegEvent(json.value)) settled(json.value);
    else return json && event === 'done' && isAnswer(json) ? ok(json) : undefined;
  }
  return err(brokenOff());
};

const readOn = async (events: Events): Promise<void> => {
  while (!(await events.read()).done);
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
