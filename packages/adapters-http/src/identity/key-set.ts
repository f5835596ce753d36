import { type Clock, type Failure, upstream, type UpstreamReason } from '@portico/core';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { startAge } from '../resilience/age.ts';
import { isWeakKey } from './weak-key.ts';

const usableMs = 24 * 60 * 60_000;
const retryFreshMs = 30_000;
const retryMs = 1_000;
const searchMs = 30_000;
const neverLoaded = () => Infinity;

/** Thrown when no keys are available for verification. `failure` is the reason. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super('No keys are available.');
    this.failure = failure;
  }
}

/** Receives the outcomes of key requests, for metrics. The values contain no private data. */
export interface KeySetObserver {
  /** Called after each successful request, also when the keys have not changed. */
  readonly keysLoaded?: () => void;
  readonly keysFailed?: (reason: UpstreamReason) => void;
}

/**
 * Caches the identity provider's keys (contract, section 1). Fetches them one request at a time.
 *
 * - Keys older than `freshMs` are refreshed in the background; keys older than twice that are refreshed before use.
 * - While the provider is down, the last valid set is used for up to 24 hours.
 * - A token that matches no key, by its `kid` or by its signature, triggers a fetch: at most one per 30 seconds, or 1
 *   second after a failed one.
 */
export const keySet = (
  load: () => ResultAsync<unknown, Failure>,
  clock: Clock,
  freshMs: number,
  { keysLoaded, keysFailed }: KeySetObserver = {},
) => {
  let current: KeySet | undefined;
  let age = neverLoaded;
  let loading: Promise<Result<void, Failure>> | undefined;
  let failed: { readonly at: number; readonly failure: Failure } | undefined;
  let searchedAt = -Infinity;

  const refresh = (): Promise<Result<void, Failure>> => {
    loading ??= (async () => {
      const result = (await load()).andThen(parseKeys).map((loaded) => {
        age = startAge(clock);
        if (loaded.text !== current?.text) current = { ...loaded, version: (current?.version ?? 0) + 1 };
      });
      failed = result.isErr() ? { at: clock.monotonic(), failure: result.error } : undefined;
      loading = undefined;
      try {
        result.match(
          () => keysLoaded?.(),
          (failure) => failure.kind === 'upstream' && keysFailed?.(failure.reason),
        );
      } catch {
        // Observers only report. The background refresh has no caller that could handle an exception.
      }
      return result;
    })();
    return loading;
  };

  const failedWithin = (ms: number) => failed !== undefined && clock.monotonic() - failed.at < ms;
  /** Whether the keys must be refreshed before use. False after a recent failure, so that calls do not wait again. */
  const isStale = () => age() > 2 * freshMs && !failedWithin(freshMs);
  const refreshOrFailure = async (): Promise<Result<void, Failure>> =>
    failed && failedWithin(retryMs) && !loading ? err(failed.failure) : refresh();

  const keepFresh = (): Promise<unknown> | undefined =>
    age() > freshMs && !failedWithin(retryFreshMs) ? refresh() : undefined;

  /** Waits until usable keys are loaded. */
  const warm = async (): Promise<Result<void, Failure>> => {
    if (age() > usableMs) return refreshOrFailure();
    const mustWait = isStale();
    const refreshed = keepFresh();
    if (mustWait) await refreshed;
    return ok(undefined);
  };

  const usable = async (): Promise<KeySet> => {
    const result = await warm();
    if (result.isErr()) throw new KeysUnavailable(result.error);
    return current!;
  };

  /** Fetches keys for a token that matches none, at most once per `searchMs`. */
  const search = async (): Promise<Result<void, Failure>> => {
    if (!loading && clock.monotonic() - searchedAt < searchMs) return ok(undefined);
    const result = await refreshOrFailure();
    if (result.isOk()) searchedAt = clock.monotonic();
    return result;
  };

  /**
   * Runs a check with the keys, and again with newer keys when none matches. Rejects with the error of the check, or with
   * `KeysUnavailable`.
   */
  const use = async <T>(check: Check<T>): Promise<{ readonly result: T; readonly version: number | undefined }> => {
    let used: KeySet | undefined;
    try {
      const result = await checkWith(async (header, token) => {
        used = await usable();
        return used.find(header, token);
      }, check);
      return { result, version: used?.version };
    } catch (error) {
      const isUnknown = error instanceof errors.JWKSNoMatchingKey;
      if (!isUnknown && !(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      const searched = await search();
      // An unknown key may be new, so the token cannot be rejected while the keys are unavailable.
      if (searched.isErr() && isUnknown) throw new KeysUnavailable(searched.error);
      const newer = await usable();
      if (newer.version === used?.version) throw error;
      return { result: await checkWith(newer.find, check), version: newer.version };
    }
  };

  return {
    use,
    warm,
    /** Changes with the keys. Undefined while no usable keys are loaded. Also triggers the background refresh. */
    version: (): number | undefined => {
      if (age() > usableMs || isStale()) return undefined;
      void keepFresh();
      return current?.version;
    },
  };
};

/** Verifies one token. Calls `find` when it needs a key. */
type Check<T> = (find: JWTVerifyGetKey) => Promise<T>;

/** Bounds the work that one token can cause. */
const maxKeysTried = 16;

/** Runs the check. When several keys match, tries each until one verifies the signature. */
export const checkWith = async <T>(find: JWTVerifyGetKey, check: Check<T>): Promise<T> => {
  try {
    return await check(find);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let tried = 0;
    for await (const key of error) {
      if (++tried > maxKeysTried) break;
      try {
        return await check(async () => key);
      } catch (failure) {
        // Any error other than jose's own means that this key is unusable.
        const mayBeOtherKey = failure instanceof errors.JWSSignatureVerificationFailed;
        if (failure instanceof errors.JOSEError && !mayBeOtherKey) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
};

interface KeySet {
  readonly find: JWTVerifyGetKey;
  readonly text: string;
  readonly version: number;
}

/**
 * Parses a key set. Weak keys are left out. A set without any other key counts as malformed, because it would reject every
 * member.
 */
const parseKeys = (body: unknown): Result<Omit<KeySet, 'version'>, Failure> => {
  try {
    const keys = strongKeysIn(body);
    return keys.length > 0
      ? ok({ find: createLocalJWKSet({ keys }), text: JSON.stringify(body) })
      : err(upstream('identity', 'malformed'));
  } catch {
    return err(upstream('identity', 'malformed'));
  }
};

/** The keys of a set. Throws when the document is not a key set (RFC 7517, section 5). */
export const keysIn = (document: unknown): JSONWebKeySet['keys'] => {
  // Validates the structure.
  createLocalJWKSet(document as JSONWebKeySet);
  return (document as JSONWebKeySet).keys;
};

/** The keys of a set, without weak ones. Throws as `keysIn`. */
export const strongKeysIn = (document: unknown): JSONWebKeySet['keys'] =>
  keysIn(document).filter((key) => !isWeakKey(key));
