import { type Clock, type Failure, upstream } from '@portico/core';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWSHeaderParameters, type JWTVerifyGetKey } from 'jose';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';

const usableMs = 24 * 60 * 60_000;
const refetchMs = 30_000;
const emptyRetryMs = 1_000;

/** There are no keys to verify with. The failure says why. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super('No keys to verify with.');
    this.failure = failure;
  }
}

/**
 * The identity provider's keys: one fetch at a time, refreshed in the background after `freshMs`, and the last good set
 * keeps serving for 24 hours while the provider is down. An unknown `kid` asks again, at most once per 30 seconds.
 */
export const keySet = (load: () => ResultAsync<unknown, Failure>, clock: Clock, freshMs: number) => {
  let current: KeySet | undefined;
  let loadedAt = -Infinity;
  let loading: Promise<Result<void, Failure>> | undefined;
  let lastTry: { readonly at: number; readonly result: Result<void, Failure> } | undefined;
  let lastUnknown = -Infinity;

  const refresh = (): Promise<Result<void, Failure>> => {
    loading ??= (async () => {
      const result = (await load()).andThen(parseKeys).map((loaded) => {
        loadedAt = clock.monotonic();
        if (loaded.text !== current?.text) current = { ...loaded, version: (current?.version ?? 0) + 1 };
      });
      lastTry = { at: clock.monotonic(), result };
      loading = undefined;
      return result;
    })();
    return loading;
  };

  const triedWithin = (ms: number) => lastTry !== undefined && clock.monotonic() - lastTry.at < ms;
  const age = () => clock.monotonic() - loadedAt;
  const keepFresh = () => {
    if (age() > freshMs && !triedWithin(refetchMs)) void refresh();
  };

  /** Asks for keys only where there are none to rely on, and once a second at most. */
  const warm = async (): Promise<Result<void, Failure>> => {
    if (age() > usableMs) return lastTry && triedWithin(emptyRetryMs) && !loading ? lastTry.result : refresh();
    keepFresh();
    return ok(undefined);
  };

  const usable = async (): Promise<JWTVerifyGetKey> => {
    const result = await warm();
    if (result.isErr()) throw new KeysUnavailable(result.error);
    return current!.find;
  };

  const find: JWTVerifyGetKey = async (header, token) => {
    const known = await usable();
    try {
      return await known(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !mayAskAgain(header)) throw error;
      await refresh();
      return (await usable())(header, token);
    }
  };

  const mayAskAgain = ({ kid }: JWSHeaderParameters) => {
    const now = clock.monotonic();
    if (typeof kid !== 'string' || now - lastUnknown < refetchMs) return loading !== undefined;
    lastUnknown = now;
    return true;
  };

  return {
    find,
    warm,
    /** Another number whenever other keys serve; none while there are no keys to rely on. Keeps them fresh. */
    version: (): number | undefined => {
      if (age() > usableMs) return undefined;
      keepFresh();
      return current?.version;
    },
  };
};

interface KeySet {
  readonly find: JWTVerifyGetKey;
  readonly text: string;
  readonly version: number;
}

/** A set without keys would lock everybody out, so it counts as no answer. */
const parseKeys = (body: unknown): Result<Omit<KeySet, 'version'>, Failure> => {
  try {
    const find = createLocalJWKSet(body as JSONWebKeySet);
    return (body as JSONWebKeySet).keys.length > 0
      ? ok({ find, text: JSON.stringify(body) })
      : err(upstream('identity', 'malformed'));
  } catch {
    return err(upstream('identity', 'malformed'));
  }
};
