import { errAsync, okAsync, type Result, ok, err, type ResultAsync } from 'neverthrow';
import type { SearchPorts } from '../ports.ts';
import type { Signal } from '../runtime/signal.ts';
import { type Failure, type InputError, invalid } from '../shared/failure.ts';
import { isObject } from '../shared/request-body.ts';
import { correlate, type RunningSearch } from './correlator.ts';
import type { Leg } from './leg.ts';

export const searchDefaults = { timeoutMs: 10_000, maxPending: 10_000 } as const;

/** Defaults: `searchDefaults`. */
export interface SearchSettings {
  /** At least one. The ids are the keys of the answer. */
  readonly legs: readonly Leg[];
  /** How long a search waits for callbacks. */
  readonly timeoutMs?: number;
  /** How many legs may wait at once. */
  readonly maxPending?: number;
  /** The personas that may search; any when not given. */
  readonly personas?: readonly string[];
}

/** What a client asks for (contract, section 5). */
export interface SearchRequest {
  readonly persona: string;
  readonly query: string;
  readonly userId: string;
}

/** Starts a search. Fails `invalid`, or `overloaded` when too many legs wait already. */
export type Search = (request: unknown, signal?: Signal) => ResultAsync<RunningSearch, Failure>;

export const search =
  (
    ports: SearchPorts,
    { legs, timeoutMs = searchDefaults.timeoutMs, maxPending = searchDefaults.maxPending, personas }: SearchSettings,
  ): Search =>
  (request, signal) =>
    parseSearchRequest(request, personas).asyncAndThen(({ query }) =>
      ports.exchange.pending + legs.length > maxPending
        ? errAsync({ kind: 'overloaded', retryAfterSeconds: Math.ceil(timeoutMs / 1000) })
        : correlate(ports, legs, query, timeoutMs, signal),
    );

const lengths = { persona: 64, query: 256, user_id: 128 } as const;

export const parseSearchRequest = (value: unknown, personas?: readonly string[]): Result<SearchRequest, Failure> => {
  const fields = isObject(value) ? value : {};
  const errors: InputError[] = [];
  const read = (name: keyof typeof lengths): string => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const text = typeof field === 'string' ? field.trim() : '';
    if (text.length === 0 || countCharacters(text) > lengths[name])
      errors.push({ path: `/${name}`, message: `must be a text of 1 to ${lengths[name]} characters` });
    return text;
  };
  const request = { persona: read('persona'), query: read('query'), userId: read('user_id') };
  if (errors.length === 0 && personas && !personas.includes(request.persona))
    errors.push({ path: '/persona', message: `must be one of ${personas.join(', ')}` });
  return errors.length === 0 ? ok(request) : err(invalid('A search has a persona, a query and a user_id.', ...errors));
};

/** As JSON Schema counts them: code points. No more of them are looked at than could matter. */
const countCharacters = (text: string): number => Array.from(text.slice(0, 1024)).length;

/** The configured legs, without anything secret. */
export type ListLegs = () => ResultAsync<readonly Leg[], Failure>;

export const listLegs =
  ({ legs }: SearchSettings): ListLegs =>
  () =>
    okAsync(legs);
