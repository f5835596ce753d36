import type { SellerBehaviour } from '@portico/sandbox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type SearchEnvironment, startSearchEnvironment } from './search-environment.ts';

/** Long enough for a seller without faults, also on a busy machine. All searches wait for them at the same time. */
const limits = { timeoutMs: 15_000, ackTimeoutMs: 7500 };

const patiently = { interval: 5, timeout: 60_000 } as const;

const wellBehaved = { fault: null } as const;

const mebibytes5 = 5 * 1024 * 1024;

interface Row {
  readonly behaviour: Partial<SellerBehaviour>;
  readonly error?: 'timeout' | 'bap_unreachable';
  /** Outcomes of the callbacks of both sellers, including late ones. */
  readonly counts: Readonly<Record<string, number>>;
  readonly only?: 'mh';
}

const rows: readonly Row[] = [
  { behaviour: { fault: 'silent' }, error: 'timeout', counts: { delivered: 1 } },
  { behaviour: { fault: 'nack' }, error: 'bap_unreachable', counts: { delivered: 1 } },
  { behaviour: { fault: 'status-500' }, error: 'bap_unreachable', counts: { delivered: 1 } },
  { behaviour: { fault: 'refused' }, error: 'bap_unreachable', counts: { delivered: 1 } },
  { behaviour: { fault: 'callback-before-ack' }, counts: { delivered: 2 } },
  { behaviour: { fault: 'two-callbacks' }, counts: { delivered: 2, duplicate: 1 } },
  {
    behaviour: { fault: 'late-callback', lateMs: limits.timeoutMs + 500 },
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
  // Last, because a seller that refuses connections also drops those that wait for their acknowledgement.
  {
    behaviour: { fault: 'slow-ack', slowAckMs: limits.ackTimeoutMs + 500 },
    error: 'bap_unreachable',
    counts: { delivered: 1, late: 1 },
  },
];

const cases = rows.flatMap((row) =>
  (['moa', 'mh'] as const)
    .filter((leg) => row.only === undefined || row.only === leg)
    .map((leg) => ({ leg, fault: [row.behaviour.fault, row.behaviour.hugeBytes ?? ''].join(' ').trim(), row })),
);

describe('a search with a faulty seller', () => {
  let environment: SearchEnvironment;
  let before: Counts;
  beforeAll(async () => {
    environment = await startSearchEnvironment(limits);
    // The first search loads code, which may exceed these limits.
    await vi.waitFor(async () => expect((await environment.search()).errors).toBeUndefined(), { timeout: 60_000 });
    before = await counts();
  });
  afterAll(() => environment.close());

  const counts = async (): Promise<Counts> => (await environment.health()).callbacks;

  /** Begins a search. Resolves once its callbacks have arrived, late ones excepted, and the seller's fault is cleared. */
  const begin = async ({ behaviour, counts: expected }: Row, leg: 'moa' | 'mh') => {
    const seller = environment.sandbox.search[leg];
    const [searches, callbacks] = [seller.searches, await counts()];
    await seller.setBehaviour(behaviour);
    const result = environment.search();
    if (behaviour.fault === 'refused') await result;
    else await vi.waitFor(() => expect(seller.searches).toBe(searches + 1), patiently);
    await vi.waitFor(
      async () => expect(prompt(difference(callbacks, await counts()))).toEqual(prompt(expected)),
      patiently,
    );
    await seller.setBehaviour(wellBehaved);
    return { result, seller };
  };

  // A fault applies to the searches that begin while it is set. So they begin in turn, and reach their limits together.
  const inTurn = turns();

  it.concurrent.for(cases)('does not affect the other leg: $fault at the $leg seller', async ({ row, leg }) => {
    const { behaviour, error } = row;
    const { result, seller } = await inTurn(() => begin(row, leg));
    const { [leg]: faulty, [leg === 'moa' ? 'mh' : 'moa']: other, errors, traces } = await result;
    expect(other).not.toBeNull();
    expect(errors?.[leg]?.kind).toBe(error);
    expect(faulty === null).toBe(error !== undefined);
    if (behaviour.fault !== 'refused') await seller.callbackDone(traces[leg]!.transaction_id);
  });

  it('counts each callback of all these searches once, and leaves none pending', async () => {
    const sum: Record<string, number> = {};
    for (const { row } of cases)
      for (const [outcome, count] of Object.entries(row.counts)) sum[outcome] = (sum[outcome] ?? 0) + count;
    expect(difference(before, await counts())).toEqual(sum);
    expect((await environment.health()).pending).toBe(0);
  });
});

type Counts = Readonly<Record<string, number>>;

/** The outcomes that were counted between two reports. */
const difference = (before: Counts, after: Counts): Counts =>
  Object.fromEntries(
    Object.entries(after).flatMap(([outcome, count]) =>
      count > before[outcome]! ? [[outcome, count - before[outcome]!]] : [],
    ),
  );

/** Callbacks of an earlier search may be late at any time. */
const prompt = ({ late: _, ...others }: Counts): Counts => others;

/** Runs tasks one after the other. */
const turns = () => {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(task: () => Promise<T>): Promise<T> => {
    const done = last.then(task);
    last = done.catch(() => {});
    return done;
  };
};
