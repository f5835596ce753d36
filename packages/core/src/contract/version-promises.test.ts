import { errAsync, okAsync } from 'neverthrow';
import { describe, it } from 'vitest';
import { preconditionFailed } from '../shared/failure.ts';
import { toJson } from '../shared/json/json.ts';
import { versionPromises } from './version-promises.ts';

const values = ['first', 'second', 'third'] as const;

/** A correct resource whose entity tag is a digest of its content, so that the same content has the same tag again. */
const digestTagged = () => {
  let stored = 'initial';
  const current = () => ({ ...toJson(stored), etag: `"${stored}"` });
  return {
    read: () => okAsync(current()),
    write: (nth: 0 | 1 | 2, ifMatch?: string) => {
      if (ifMatch !== undefined && ifMatch !== current().etag) return errAsync(preconditionFailed('consent'));
      stored = values[nth];
      return okAsync(current());
    },
  };
};

describe('the promises of entity tags', () => {
  const kept = digestTagged();

  it.each(Object.entries(versionPromises('write', values, () => kept)))(
    'are kept by digests of the content, also if the data stays: %s',
    async (_, keeps) => keeps(undefined),
  );
});
