import type { ResultAsync } from 'neverthrow';
import type { Failure, Service, UpstreamReason } from '../shared/failure.ts';
import { check, failsAs } from './assertions.ts';
import { isStream } from './streams.ts';

/**
 * How a source fails: it refuses connections, never responds, responds with something that is not JSON, or closes each
 * connection before a byte of the response.
 */
export type SourceFault = 'refused' | 'slow' | 'garbage' | 'reset';

/** A subject that can make its source fail. */
export interface FailingSource {
  /**
   * Makes every later call to the source fail. If it is absent, the promises about failing sources are not tested. For
   * `slow`, the adapter's time limit must end within the suite's deadline.
   */
  readonly fail?: (fault: SourceFault) => void | Promise<void>;
}

/** The reason of the failure for each fault, and the promise that an adapter makes about it. */
export const faults: Readonly<Record<SourceFault, readonly [reason: UpstreamReason, promise: string]>> = {
  refused: ['unreachable', 'fails as unreachable when its source refuses connections'],
  slow: ['timeout', 'fails as timeout when its source does not respond in time'],
  garbage: ['malformed', 'fails as malformed when its source does not respond with JSON'],
  reset: ['unreachable', 'fails as unreachable when its source closes connections'],
};

/** Limits the reading: an unsafe adapter may send chunks forever. */
const mostChunks = 1000;

/** Reads the streams of a result, such as the content of a document. */
const drain = async (result: unknown): Promise<void> => {
  const fields = typeof result === 'object' && result !== null ? Object.values(result) : [];
  for (const stream of fields.filter(isStream)) {
    let chunks = 0;
    for await (const _ of stream) if (++chunks === mostChunks) break;
  }
};

/** The promises of a port whose source fails. `calls` are made one after the other, before and after it fails. */
export const failingSourcePromises = <Subject extends FailingSource>(
  service: Service,
  calls: (subject: Subject) => readonly (() => ResultAsync<unknown, Failure>)[],
): Readonly<Record<string, (subject: Subject) => Promise<void>>> =>
  Object.fromEntries(
    Object.entries(faults).map(([fault, [reason, promise]]) => [
      promise,
      async (subject) => {
        if (!subject.fail) return;
        // Data that the adapter remembers must not hide the failure.
        for (const call of calls(subject)) await call().map(drain);
        await subject.fail(fault as SourceFault);
        for (const call of calls(subject)) {
          const failure = await failsAs('upstream', call());
          check(failure.service === service, `the failed service should be ${service}, not ${failure.service}`);
          check(failure.reason === reason, `the reason should be ${reason}, not ${failure.reason}`);
        }
      },
    ]),
  );
