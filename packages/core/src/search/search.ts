import { errAsync, type Result, ok, err, type ResultAsync } from 'neverthrow';
import type { SearchPorts } from '../ports.ts';
import type { Signal } from '../runtime/signal.ts';
import { type Failure, type InputError, invalid, overloaded } from '../shared/failure.ts';
import { copyOf, isObject } from '../shared/json/json.ts';
import { correlate, type EnvelopeFor, type RunningSearch } from './correlator.ts';
import { buildEnvelope } from './envelope.ts';
import type { Leg, ListedLeg } from './leg.ts';
import { personaNames, type Personas, searchesOf } from './personas.ts';
import { profileOf } from './profiles/profiles.ts';

export const searchDefaults = { timeoutMs: 10_000, maxPending: 10_000 } as const;

/** Settings of the search API. Defaults: `searchDefaults`. */
export interface SearchSettings {
  /** At least one. The ids are keys of the search response. */
  readonly legs: readonly Leg[];
  /** The time that a search waits for callbacks. */
  readonly timeoutMs?: number;
  /** The maximum number of pending legs. */
  readonly maxPending?: number;
  /** The allowed personas, or what each of them searches. Default: any persona, which searches every leg. */
  readonly personas?: Personas;
}

/** The search request of a client (contract, section 5). */
export interface SearchRequest {
  readonly persona: string;
  readonly query: string;
  readonly userId: string;
}

/** Starts a search. Fails `invalid` for an invalid request, and `overloaded` when too many legs are pending. */
export type Search = (request: unknown, signal?: Signal) => ResultAsync<RunningSearch, Failure>;

export const search = (ports: SearchPorts, settings: CompleteSettings, onMismatch?: () => void): Search => {
  const { legs, timeoutMs, maxPending, personas } = settings;
  const searchOf = searchesOf(legs, personas);
  const names = personas && personaNames(personas);
  return (request, signal) =>
    parseSearchRequest(request, names).asyncAndThen(({ query, persona, userId }) => {
      const { legs, intent: personaIntent } = searchOf(persona);
      if (ports.exchange.pending + legs.length > maxPending) return errAsync(overloaded(Math.ceil(timeoutMs / 1000)));
      const terms = { persona, userId, personaIntent };
      const envelopeFor: EnvelopeFor = (leg, ids, now) => buildEnvelope(leg, query, ids, now, terms);
      return correlate(ports, legs, { envelopeFor, timeoutMs, signal, onMismatch });
    });
};

/** Settings with their defaults. */
interface CompleteSettings extends SearchSettings {
  readonly legs: readonly ListedLeg[];
  readonly timeoutMs: number;
  readonly maxPending: number;
}

export const withDefaults = (settings: SearchSettings): CompleteSettings => {
  const { timeoutMs = searchDefaults.timeoutMs, maxPending = searchDefaults.maxPending } = settings;
  const legs = settings.legs.map((leg) => ({
    ...leg,
    gatewayPath: leg.gatewayPath ?? profileOf(leg).gatewayPath,
    ttl: leg.ttl ?? isoDuration(timeoutMs),
  }));
  return { ...settings, legs, timeoutMs, maxPending };
};

/** Milliseconds as an ISO 8601 duration in seconds: `PT10S`, `PT1.5S`. */
const isoDuration = (milliseconds: number): string => `PT${milliseconds / 1000}S`;

/** The longest strings of a search request, in code points (contract, section 5). */
export const searchLengths = { persona: 64, query: 256, user_id: 128 } as const;

export const parseSearchRequest = (value: unknown, personas?: readonly string[]): Result<SearchRequest, Failure> => {
  const fields = isObject(value) ? value : {};
  const errors: InputError[] = [];
  const read = (name: keyof typeof searchLengths): string => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const text = typeof field === 'string' ? field.trim() : '';
    if (text.length === 0 || countCharacters(text) > searchLengths[name])
      errors.push({ path: `/${name}`, message: `must be a string of 1 to ${searchLengths[name]} characters` });
    // A copy, because a trimmed string keeps the original in memory while the search waits.
    return copyOf(text);
  };
  const request = { persona: read('persona'), query: read('query'), userId: read('user_id') };
  if (errors.length === 0 && personas && !personas.includes(request.persona))
    errors.push({ path: '/persona', message: `must be one of ${personas.join(', ')}` });
  return errors.length === 0
    ? ok(request)
    : err(invalid('The search request must have a valid persona, query and user_id.', ...errors));
};

/** Counts code points, as JSON Schema does. Stops beyond the largest limit. */
const countCharacters = (text: string): number => Array.from(text.slice(0, 1024)).length;

/** Returns the configured legs. They contain no secrets. */
export type ListLegs = () => ResultAsync<readonly ListedLeg[], Failure>;
