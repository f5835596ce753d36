import type { AccessToken, Clock, Failure, HeaderFields } from '@portico/core';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { startAge } from '../resilience/age.ts';
import { boundedMap } from '../http/bounded-map.ts';

/** The limit for all tokens of one service together, and what an entry takes in addition to its token. */
const maxCharacters = 16 * 1024 * 1024;
const charactersPerEntry = 256;

/** How long a failed request is not repeated for the same key. */
const failureMs = 1000;

/** A token with a longer lifetime is replaced after a day. */
const maxKeptMs = 24 * 60 * 60_000;

interface Kept {
  readonly result: Result<HeaderFields, Failure>;
  readonly age: () => number;
  readonly usableMs: number;
  /** From this age on, a call requests a new token in the background. */
  readonly renewAfterMs: number;
  readonly characters: number;
}

/** When a token is no longer used, and when it is renewed before that, by its remaining lifetime. All in milliseconds. */
export type Lifetime = (lifetimeMs: number) => { readonly usableMs: number; readonly renewAfterMs: number };

/**
 * Keeps the `Authorization` header of issued tokens by key, in bounded memory. Concurrent calls with one key share one
 * request, which no call can cancel. A failure is returned to all calls with its key for a second; while an older token
 * is usable, it is used instead. A token whose lifetime is unknown is not kept.
 */
export const keptTokens = (clock: Clock, lifetime: Lifetime) => {
  const kept = boundedMap<Kept>(maxCharacters, (_key, { characters }) => characters);
  const pending = new Map<string, ResultAsync<HeaderFields, Failure>>();

  const keep = (key: string, result: Result<HeaderFields, Failure>, usableMs: number, renewAfterMs: number): void => {
    if (usableMs <= 0) return kept.delete(key);
    const characters = charactersPerEntry + (result.isOk() ? (result.value['authorization']?.length ?? 0) : 0);
    kept.set(key, { result, age: startAge(clock), usableMs, renewAfterMs, characters });
  };

  const keepFailure = (key: string, failure: Failure): void => {
    const older = kept.get(key);
    const usableMs = older?.result.isOk() === true ? older.usableMs - older.age() : 0;
    if (older && usableMs > 0) keep(key, older.result, usableMs, failureMs);
    else keep(key, err(failure), failureMs, Infinity);
  };

  const load = async (key: string, request: Request): Promise<Result<HeaderFields, Failure>> => {
    const startedAt = clock.monotonic();
    const issued = await settled(request);
    if (issued.isErr()) {
      keepFailure(key, issued.error);
      return err(issued.error);
    }
    const { token, expiresInSeconds = 0 } = issued.value;
    const fields = ok<HeaderFields, Failure>(Object.freeze({ authorization: `Bearer ${token}` }));
    // The lifetime starts when the provider issues the token, at the earliest when the request is sent.
    const elapsedMs = clock.monotonic() - startedAt;
    const { usableMs, renewAfterMs } = lifetime(Math.min(expiresInSeconds * 1000, maxKeptMs));
    keep(key, fields, usableMs - elapsedMs, renewAfterMs - elapsedMs);
    return fields;
  };

  const requestOnce = (key: string, request: Request): ResultAsync<HeaderFields, Failure> => {
    const running = pending.get(key);
    if (running) return running;
    const started = new ResultAsync(load(key, request).finally(() => pending.delete(key)));
    pending.set(key, started);
    return started;
  };

  return {
    get: (key: string, request: Request): Result<HeaderFields, Failure> | ResultAsync<HeaderFields, Failure> => {
      const found = kept.get(key);
      const age = found?.age() ?? 0;
      if (!found || age >= found.usableMs) return requestOnce(key, request);
      if (age >= found.renewAfterMs) void requestOnce(key, request);
      return found.result;
    },
  };
};

type Request = () => ResultAsync<AccessToken, Failure>;

/** An exception must not reject: a renewal in the background has no caller that handles it. */
const settled = async (request: Request): Promise<Result<AccessToken, Failure>> => {
  try {
    return await request();
  } catch (cause) {
    return err({ kind: 'unexpected', cause });
  }
};
