import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { fromThrowable } from 'neverthrow';
import { signatureAlgorithms } from '@portico/core';
import { keysIn } from './key-set.ts';
import { isWeakKey } from './weak-key.ts';

/**
 * How many keys there are, how many can verify one of these algorithms, and which algorithms the keys are for. Weak keys
 * count for no algorithm.
 */
export interface KeySummary {
  readonly total: number;
  readonly usable: number;
  readonly algorithms: readonly string[];
}

/**
 * Counts the keys of a set and the algorithms that they can verify; undefined when the document is not a key set (RFC 7517,
 * section 5).
 */
export const summarizeKeys = async (document: unknown, allowed: readonly string[]): Promise<KeySummary | undefined> => {
  const keys = fromThrowable(keysIn)(document).unwrapOr(undefined);
  if (!keys) return undefined;
  const algorithms = await Promise.all(keys.map(algorithmsOfKey));
  return {
    total: keys.length,
    usable: algorithms.filter((own) => own.some((algorithm) => allowed.includes(algorithm))).length,
    algorithms: signatureAlgorithms.filter((algorithm) => algorithms.some((own) => own.includes(algorithm))),
  };
};

const algorithmsOfKey = async (key: JSONWebKeySet['keys'][number]): Promise<readonly string[]> => {
  if (isWeakKey(key)) return [];
  const find = createLocalJWKSet({ keys: [key] });
  const fits = await Promise.all(
    signatureAlgorithms.map((alg) =>
      find({ alg }, { payload: '', signature: '' }).then(
        () => true,
        () => false,
      ),
    ),
  );
  return signatureAlgorithms.filter((_, index) => fits[index]);
};
