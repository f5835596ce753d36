import { reservePort } from '@portico/demo/ports';
import { type Child, start, urlOf } from '../../child-process.ts';
import { log } from '../../command.ts';
import { startPortico } from '../../portico.ts';
import { legSettings } from '../../portico-settings.ts';
import { quantile } from '../../statistics.ts';
import { processorTime } from '../load/process-usage.ts';
import type { Extent } from './extent.ts';
import type { Row } from '../../records/record.ts';
import { comparedWith } from './row.ts';

const throughputTitle = 'searches, sellers responding at once, 64 connections';

/** From the moment when the slower seller has written its callback until the client has the whole response. */
const latencyTitle = 'added to the slower leg, one search at a time, sellers responding after 50 ms';

export const floorName = 'hand-written correlator';

export interface Systems {
  readonly sellers: Child;
  readonly portico: Child;
  readonly floor: Child;
}

const request = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ persona: 'member', query: 'health', user_id: 'bench' }),
} as const;

/** A search that a Portico process, or another one with its route, receives. */
export const searchRequest = (child: Child) => ({ ...request, url: `${urlOf(child)}/api/search` });

/** Starts Portico with two legs. */
export const startTwoLegs = async (
  gatewayOf: (leg: string) => string,
  folder: string,
  command?: URL,
): Promise<Child> => {
  const port = await reservePort();
  const leg = (id: string) => legSettings(`http://127.0.0.1:${port}`, gatewayOf(id));
  const settings = { listen: { host: '127.0.0.1', port }, search: { legs: { moa: leg('moa'), mh: leg('mh') } } };
  return startPortico(settings, folder, {}, command);
};

/** Runs a measurement of Portico and the hand-written correlator, each with two legs. `sellerPath` is their delay; see `sellers.ts`. */
export const withSystems = async <T>(
  sellerPath: string,
  folder: string,
  measure: (systems: Systems) => Promise<T>,
): Promise<T> => {
  const sellers = await start(new URL('../load/sellers.ts', import.meta.url));
  const gateway = (leg: string) => `${urlOf(sellers)}/${leg}/${sellerPath}`;
  const portico = await startTwoLegs(gateway, folder);
  const floor = await start(new URL('../contenders/hand-written-correlator.ts', import.meta.url), {
    args: ['1', gateway('moa'), gateway('mh')],
  });
  const result = await measure({ sellers, portico, floor });
  for (const child of [portico, floor, sellers]) await child.stop();
  return result;
};

const measureSearchRate =
  ({ load, rounds, seconds }: Extent) =>
  async ({ portico, floor }: Systems): Promise<Row> => {
    const rate = async (child: Child, name: string): Promise<number> => {
      const before = processorTime(child.pid);
      const { requests, seconds: took } = await load({ ...searchRequest(child), connections: 64, seconds });
      const busy = ((processorTime(child.pid) - before) / took / 1000).toFixed(2);
      log(`${throughputTitle} | ${name} | ${(requests / took).toFixed(0)} searches/s | busy ${busy}`);
      return requests / took;
    };
    for (const child of [portico, floor]) await load({ ...searchRequest(child), connections: 64, seconds: 4 });
    const own: number[] = [];
    const other: number[] = [];
    for (let round = 0; round < rounds; round++) {
      own.push(await rate(portico, 'Portico'));
      other.push(await rate(floor, floorName));
    }
    return {
      title: throughputTitle,
      unit: 'searches/s',
      ...comparedWith(floorName, own, other),
      goal: { ratio: 0.75 },
    };
  };

const measureAddedLatency =
  ({ load, rounds }: Extent) =>
  async ({ sellers, portico, floor }: Systems): Promise<Row[]> => {
    const addedBy = async (child: Child): Promise<readonly number[]> => {
      const { responses } = await load({ ...searchRequest(child), connections: 1, keepResponses: true, seconds: 1 });
      const sentAt = (await sellers.request({})) as Readonly<Record<string, number>>;
      return responses.map(({ at, ids }) => at - Math.max(...ids.map((id) => sentAt[id] ?? Infinity)));
    };
    const own: number[] = [];
    const other: number[] = [];
    // The first five rounds warm up.
    for (let round = -5; round < rounds * 3; round++)
      for (const [child, added] of [
        [portico, own],
        [floor, other],
      ] as const) {
        const some = await addedBy(child);
        if (round >= 0) added.push(...some);
      }
    return (['p50', 'p99'] as const).map((name) => {
      const [ownMs, otherMs] = [own, other].map((added) => quantile(added, name === 'p50' ? 0.5 : 0.99)) as [
        number,
        number,
      ];
      return {
        title: `${latencyTitle}: ${name}`,
        unit: 'ms',
        own: ownMs,
        other: { name: floorName, value: otherMs, ratio: ownMs / otherMs },
      };
    });
  };

/** The rows of the search route. */
export const measureSearch = async (extent: Extent): Promise<Row[]> => {
  const { filter, folder } = extent;
  const rows: Row[] = [];
  if (throughputTitle.includes(filter)) rows.push(await withSystems('0', folder, measureSearchRate(extent)));
  if (latencyTitle.includes(filter)) rows.push(...(await withSystems('50', folder, measureAddedLatency(extent))));
  return rows;
};
