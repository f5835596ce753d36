import type { SellerBehaviour } from '@portico/sandbox';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type SearchEnvironment, startSearchEnvironment } from './search-environment.ts';

/** Long enough for a seller without faults, also on a busy machine. */
const limits = { timeoutMs: 5000, ackTimeoutMs: 2500 };

const mebibytes5 = 5 * 1024 * 1024;

const rows: readonly {
  readonly behaviour: Partial<SellerBehaviour>;
  readonly error?: 'timeout' | 'bap_unreachable';
  /** Outcomes of the callbacks of both sellers, including late ones. */
  readonly counts: Readonly<Record<string, number>>;
  readonly only?: 'mh';
}[] = [
  { behaviour: { fault: 'silent' }, error: 'timeout', counts: { delivered: 1 } },
  { behaviour: { fault: 'nack' }, error: 'bap_unreachable', counts: { delivered: 1 } },
  { behaviour: { fault: 'status-500' }, error: 'bap_unreachable', counts: { delivered: 1 } },
  { behaviour: { fault: 'refused' }, error: 'bap_unreachable', counts: { delivered: 1 } },
  { behaviour: { fault: 'slow-ack', slowAckMs: 3000 }, error: 'bap_unreachable', counts: { delivered: 1, late: 1 } },
  { behaviour: { fault: 'callback-before-ack' }, counts: { delivered: 2 } },
  { behaviour: { fault: 'two-callbacks' }, counts: { delivered: 2, duplicate: 1 } },
  {
    behaviour: { fault: 'late-callback', lateMs: limits.timeoutMs + 100 },
    error: 'timeout',
    counts: { delivered: 1, late: 1 },
  },
  { behaviour: { fault: 'wrong-transaction' }, error: 'timeout', counts: { delivered: 1, unknown: 1 } },
  { behaviour: { fault: 'broken-json' }, error: 'timeout', counts: { delivered: 1, rejected: 1 } },
  { behaviour: { fault: 'huge-catalog', hugeBytes: mebibytes5 }, counts: { delivered: 2 } },
  {
    behaviour: { fault: 'huge-catalog', hugeBytes: mebibytes5 + 1 },
    error: 'timeout',
    counts: { delivered: 1, rejected: 1 },
  },
  { behaviour: { fault: 'wrong-signature' }, error: 'timeout', counts: { delivered: 1, rejected: 1 }, only: 'mh' },
];

/** Tests every fault of one network's seller in a search on both networks. */
export const describeSellerFaults = (leg: 'moa' | 'mh'): void => {
  const other = leg === 'moa' ? 'mh' : 'moa';
  let environment: SearchEnvironment;
  beforeAll(async () => {
    environment = await startSearchEnvironment(limits);
    // The first search loads code, which may exceed these limits.
    await vi.waitFor(async () => expect((await environment.search()).errors).toBeUndefined(), { timeout: 60_000 });
  });
  afterEach(() => environment.clearFaults());
  afterAll(() => environment.close());

  /** Counts the callbacks during a task by outcome. */
  const counted = async (doing: () => Promise<unknown>) => {
    const before = (await environment.health()).callbacks;
    await doing();
    const after = (await environment.health()).callbacks;
    return Object.fromEntries(
      Object.entries(after).flatMap(([outcome, n]) => (n > before[outcome]! ? [[outcome, n - before[outcome]!]] : [])),
    );
  };

  describe(`a fault of the ${leg} seller`, () => {
    it.each(rows.filter(({ only }) => only === undefined || only === leg))(
      'does not affect the other leg: $behaviour.fault $behaviour.hugeBytes',
      async ({ behaviour, error, counts }) => {
        const seller = environment.sandbox.search[leg];
        await seller.setBehaviour(behaviour);
        const actual = await counted(async () => {
          const result = await environment.search();
          expect(result[other]).not.toBeNull();
          expect(result.errors?.[leg]?.kind).toBe(error);
          expect(result[leg] === null).toBe(error !== undefined);
          if (behaviour.fault !== 'refused') await seller.callbackDone(result.traces[leg]!.transaction_id);
        });
        expect(actual).toEqual(counts);
        expect((await environment.health()).pending).toBe(0);
      },
    );
  });
};
