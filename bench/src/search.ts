import { addressOf, type Child, processorTime, start } from './children.ts';
import { freePort } from './free-port.ts';
import type { PutLoad } from './load-child.ts';
import { median, quantile, type Row, type Tell } from './report.ts';
import { startPortico } from './portico.ts';

const throughputTitle = 'searches, sellers answering at once, 64 connections';

/** From the moment when the slower seller has handed its callback to the system until the client has the whole answer. */
const latencies: readonly {
  readonly title: string;
  readonly connections: number;
  readonly goals?: { readonly p50: number; readonly p99: number };
}[] = [
  { title: 'added to the slower leg, one search at a time, sellers answering after 50 ms', connections: 1 },
  {
    title: 'added to the slower leg, 200 searches at once, sellers answering after 50 ms',
    connections: 200,
    goals: { p50: 1, p99: 10 },
  },
];
const floorName = 'hand-written correlator';

const request = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ persona: 'member', query: 'health', user_id: 'bench' }),
} as const;

/** Portico and the floor, each with two legs whose sellers call back after so long. */
const startPair = async (sellers: string, delayMs: number, folder: string): Promise<Map<string, Child>> => {
  const port = await freePort();
  const leg = (id: string) => ({
    label: id,
    domain: 'schemes:bench',
    version: '1.1.0',
    city: 'std:080',
    categoryCode: 'bench',
    bapId: 'bap.bench.example',
    bapUri: `http://127.0.0.1:${port}`,
    gatewayUrl: `${sellers}/${id}/${delayMs}`,
  });
  const portico = await startPortico(
    { listen: { host: '127.0.0.1', port }, search: { legs: { moa: leg('moa'), mh: leg('mh') } } },
    folder,
  );
  const floor = await start('./contenders/correlator.ts', [`${sellers}/moa/${delayMs}`, `${sellers}/mh/${delayMs}`]);
  return new Map([
    ['Portico', portico],
    [floorName, floor],
  ]);
};

const searchAt = (child: Child) => ({ ...request, url: `${addressOf(child)}/api/search` });

export const measureSearch = async (
  load: PutLoad,
  wanted: string,
  { rounds, seconds, folder }: { readonly rounds: number; readonly seconds: number; readonly folder: string },
  tell: Tell,
): Promise<Row[]> => {
  const rows: Row[] = [];
  if (throughputTitle.includes(wanted)) {
    const sellers = await start('./sellers.ts');
    const pair = await startPair(addressOf(sellers), 0, folder);
    const rates = new Map<string, number[]>([...pair.keys()].map((name) => [name, []]));
    for (const child of pair.values()) await load({ ...searchAt(child), connections: 64, seconds: 4 });
    for (let round = 0; round < rounds; round++)
      for (const [name, child] of pair) {
        const before = processorTime(child.pid);
        const { requests, seconds: took } = await load({ ...searchAt(child), connections: 64, seconds });
        rates.get(name)!.push(requests / took);
        tell(
          `${throughputTitle} | ${name} | ${(requests / took).toFixed(0)} searches/s | busy ${((processorTime(child.pid) - before) / took / 1000).toFixed(2)}`,
        );
      }
    const [own = [], floor = []] = [...rates.values()];
    rows.push({
      title: throughputTitle,
      unit: 'searches/s',
      own: median(own),
      other: { name: floorName, value: median(floor), ratio: median(own.map((rate, nth) => rate / floor[nth]!)) },
      goal: { ratio: 0.6 },
      rounds: { own, other: floor },
    });
    for (const child of [...pair.values(), sellers]) await child.stop();
  }
  for (const { title, connections, goals } of latencies) {
    if (!title.includes(wanted)) continue;
    const sellers = await start('./sellers.ts');
    const pair = await startPair(addressOf(sellers), 50, folder);
    const added = new Map<string, number[]>([...pair.keys()].map((name) => [name, []]));
    for (let round = -5; round < rounds * 3; round++)
      for (const [name, child] of pair) {
        const put = { ...searchAt(child), connections, keepAnswers: true };
        const { answers } = await load(connections === 1 ? { ...put, seconds: 1 } : put);
        const sentAt = (await sellers.ask({})) as Readonly<Record<string, number>>;
        if (round < 0) continue;
        for (const { at, ids } of answers)
          added.get(name)!.push(at - Math.max(...ids.map((id) => sentAt[id] ?? Infinity)));
      }
    const [own = [], floor = []] = [...added.values()];
    for (const [name, q] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const) {
      const [ownMs, floorMs] = [quantile(own, q), quantile(floor, q)];
      const row = { title: `${title}: ${name}`, unit: 'ms', own: ownMs };
      const other = { name: floorName, value: floorMs, ratio: ownMs / floorMs };
      rows.push({ ...row, other, ...(goals && { goal: { atMost: goals[name] } }) });
    }
    for (const child of [...pair.values(), sellers]) await child.stop();
  }
  return rows;
};
