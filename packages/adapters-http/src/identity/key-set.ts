import { type Clock, type Failure, upstream } from '@portico/core';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';

const usableMs = 24 * 60 * 60_000;
const retryFreshMs = 30_000;
const retryMs = 1_000;
const searchMs = 30_000;

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
 * The identity provider's keys (contract, section 1), one fetch at a time.
 *
 * - Older than `freshMs`: refreshed in the background. Older than twice that, after a quiet time: refreshed first.
 * - While the provider is down: the last good set serves for 24 hours.
 * - A token that no key fits, by its `kid` or by its signature: a fetch at most once per 30 seconds, or a second after a
 *   failed one.
 */
export const keySet = (load: () => ResultAsync<unknown, Failure>, clock: Clock, freshMs: number) => {
  let current: KeySet | undefined;
  let loadedAt = -Infinity;
  let loading: Promise<Result<void, Failure>> | undefined;
  let failed: { readonly at: number; readonly failure: Failure } | undefined;
  let searchedAt = -Infinity;

  const refresh = (): Promise<Result<void, Failure>> => {
    loading ??= (async () => {
      const result = (await load()).andThen(parseKeys).map((loaded) => {
        loadedAt = clock.monotonic();
        if (loaded.text !== current?.text) current = { ...loaded, version: (current?.version ?? 0) + 1 };
      });
      failed = result.isErr() ? { at: clock.monotonic(), failure: result.error } : undefined;
      loading = undefined;
      return result;
    })();
    return loading;
  };

  const age = () => clock.monotonic() - loadedAt;
  const failedWithin = (ms: number) => failed !== undefined && clock.monotonic() - failed.at < ms;
  /** The keys may have been withdrawn long ago. When the provider has just failed, they serve on without another wait. */
  const isStale = () => age() > 2 * freshMs && !failedWithin(freshMs);
  const refreshOrFailure = async (): Promise<Result<void, Failure>> =>
    failed && failedWithin(retryMs) && !loading ? err(failed.failure) : refresh();

  const keepFresh = (): Promise<unknown> | undefined =>
    age() > freshMs && !failedWithin(retryFreshMs) ? refresh() : undefined;

  /** Waits for keys where there are none to rely on. */
  const warm = async (): Promise<Result<void, Failure>> => {
    if (age() > usableMs) return refreshOrFailure();
    const isWaiting = isStale();
    const refreshed = keepFresh();
    if (isWaiting) await refreshed;
    return ok(undefined);
  };

  const usable = async (): Promise<KeySet> => {
    const result = await warm();
    if (result.isErr()) throw new KeysUnavailable(result.error);
    return current!;
  };

  /** Fetches keys for a token that no key fits, unless that was done lately. */
  const search = async (): Promise<Result<void, Failure>> => {
    if (!loading && clock.monotonic() - searchedAt < searchMs) return ok(undefined);
    const result = await refreshOrFailure();
    if (result.isOk()) searchedAt = clock.monotonic();
    return result;
  };

  /**
   * Runs a check with the keys, and once more with newer ones when no key fits. Rejects with the check's own error, or
   * with `KeysUnavailable`.
   */
  const use = async <T>(check: Check<T>): Promise<{ readonly result: T; readonly version: number | undefined }> => {
    let known: KeySet | undefined;
    try {
      const result = await checkWith(async (header, token) => {
        known = await usable();
        return known.find(header, token);
      }, check);
      return { result, version: known?.version };
    } catch (error) {
      const isUnknown = error instanceof errors.JWKSNoMatchingKey;
      if (!isUnknown && !(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      const searched = await search();
      // An unknown key may be a new one: then the token is good.
      if (searched.isErr() && isUnknown) throw new KeysUnavailable(searched.error);
      const newer = await usable();
      if (newer.version === known?.version) throw error;
      return { result: await checkWith(newer.find, check), version: newer.version };
    }
  };

  return {
    use,
    warm,
    /** Changes when other keys serve; undefined while there are none to rely on. Keeps them fresh. */
    version: (): number | undefined => {
      if (age() > usableMs || isStale()) return undefined;
      void keepFresh();
      return current?.version;
    },
  };
};

/** Verifies one token. Keys are fetched when the check looks for one. */
type Check<T> = (find: JWTVerifyGetKey) => Promise<T>;

/** Where several keys fit, with each of them until one verifies the signature. */
const checkWith = async <T>(find: JWTVerifyGetKey, check: Check<T>): Promise<T> => {
  try {
    return await check(find);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error)
      try {
        return await check(async () => key);
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    throw new errors.JWSSignatureVerificationFailed();
  }
};

interface KeySet {
  readonly find: JWTVerifyGetKey;
  readonly text: string;
  readonly version: number;
}

/** A set without keys would refuse every member, so it counts as malformed. */
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
