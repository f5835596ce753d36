import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json/json.ts';
import { check, equal, failsAs, stored, succeeds } from './assertions.ts';
import { canary } from './supervision.ts';

/** A member's resource with an entity tag, if its source sends one. */
interface Versioned {
  readonly read: () => ResultAsync<Json, Failure>;
  /** Writes one of three values. */
  readonly write: (nth: 0 | 1 | 2, ifMatch?: string) => ResultAsync<Json, Failure>;
}

/** The tag of the third value, if there are tags. A tag may be a digest of the content: the next write must change it. */
const third = async ({ read, write }: Versioned) => {
  if ((await succeeds(read())).etag === undefined) return undefined;
  await succeeds(write(2));
  return (await succeeds(read())).etag;
};

/** The promises of a port whose writes are guarded by entity tags. `values` are what is stored, or a part of it. */
export const versionPromises = <Subject>(
  noun: 'write' | 'patch',
  values: readonly [unknown, unknown, unknown],
  versioned: (subject: Subject) => Versioned,
): Readonly<Record<string, (subject: Subject) => Promise<void>>> => {
  const hasFirst = async ({ read }: Versioned) => stored((await succeeds(read())).value, values[0], 'what is stored');
  return {
    [`rejects a ${noun} with an outdated entity tag`]: async (subject) => {
      const resource = versioned(subject);
      const etag = await third(resource);
      if (etag === undefined) return;
      await succeeds(resource.write(0, etag));
      await failsAs('precondition-failed', resource.write(1, etag));
      await hasFirst(resource);
    },
    [`rejects a ${noun} with an entity tag that it has never sent`]: async (subject) => {
      const resource = versioned(subject);
      // A service may keep its data between promises.
      await succeeds(resource.write(0));
      if ((await succeeds(resource.read())).etag === undefined) return;
      check((await resource.write(1, `"${canary}"`)).isErr(), `the ${noun} should have failed`);
      await hasFirst(resource);
    },
    [`returns the entity tag of the new version from a ${noun}, if any`]: async (subject) => {
      const { read, write } = versioned(subject);
      const { etag } = await succeeds(write(0));
      if (etag !== undefined) equal(etag, (await succeeds(read())).etag, 'the entity tag');
    },
    [`accepts one of two ${noun === 'patch' ? 'patches' : 'writes'} at the same time with the same entity tag`]: async (
      subject,
    ) => {
      const resource = versioned(subject);
      const etag = await third(resource);
      if (etag === undefined) return;
      const { write } = resource;
      const settled = await Promise.all([write(0, etag), write(1, etag)]);
      equal(settled.filter((one) => one.isOk()).length, 1, 'the number of successful calls');
    },
  };
};
