import { reservePort } from '@portico/demo/ports';
import { type Child, start, urlOf } from '../../child-process.ts';
import { log } from '../../command.ts';
import { machineTime } from '../../machine-time.ts';
import { startPortico } from '../../portico.ts';
import { legSettings } from '../../portico-settings.ts';
import { median } from '../../statistics.ts';
import { processorTime } from '../load/process-usage.ts';
import type { CollectedBytes } from './collected-bytes.ts';
import type { Extent } from './extent.ts';
import type { Row } from '../../records/record.ts';
import { comparedWith } from './row.ts';
import { floorName, searchRequest } from './search.ts';

const eventTitle = 'added to the last of 100 callbacks of 50 kB, until its event: p50';
/** The client has the whole response of 5 MB. */
const responseTitle = 'added to the last of 100 callbacks of 50 kB, until the response ends: p50';
const sellerCount = 100;
const costTitle = 'processor time of a search with three sellers, relative to one';
const memoryTitle = 'memory per byte collected, 20 pending legs with 100 callbacks of 50 kB';
const limitTitle = 'bytes kept by a leg with a maxBytes of 1 MiB, of 5 MB sent';

const sellersScript = new URL('../load/sellers.ts', import.meta.url);
const floorScript = new URL('../contenders/hand-written-correlator.ts', import.meta.url);

/** The gateway of this many sellers. Their callbacks have `bytes` of padding, and `pauseMs` between them. */
const gatewayOf = (sellers: Child, count: number, bytes = 0, pauseMs = 0): string =>
  `${urlOf(sellers)}/mh/0/${count}/${bytes}/${pauseMs}`;

/** Starts Portico with one leg that ends with the callback of the last of these sellers. */
const porticoWith = async (
  sellers: Child,
  count: number,
  folder: string,
  gateway = gatewayOf(sellers, count),
): Promise<Child> => {
  const port = await reservePort();
  const leg = { ...legSettings(`http://127.0.0.1:${port}`, gateway), callbacks: { count } };
  return startPortico({ listen: { host: '127.0.0.1', port }, search: { legs: { mh: leg } } }, folder);
};

const measureLatencies = async (extent: Extent): Promise<Row[]> => {
  const sellers = await start(sellersScript);
  // The pause keeps the callbacks before the last one out of the result.
  const gateway = gatewayOf(sellers, sellerCount, 50_000, 5);
  const portico = await porticoWith(sellers, sellerCount, extent.folder, gateway);
  const request = { ...searchRequest(portico), connections: 1, keepResponses: true };
  const lastSentAt = async () => Math.max(...Object.values((await sellers.request({})) as Record<string, number>));
  const [untilEvent, untilEnd]: [number[], number[]] = [[], []];
  for (let round = -3; round < extent.rounds * 4; round++) {
    const eventAt = await timeOfLastEvent(request);
    const addedToEvent = eventAt - (await lastSentAt());
    const { responses } = await extent.load(request);
    const addedToEnd = responses[0]!.at - (await lastSentAt());
    if (round < 0) continue;
    untilEvent.push(addedToEvent);
    untilEnd.push(addedToEnd);
  }
  for (const [title, added] of [
    [eventTitle, untilEvent],
    [responseTitle, untilEnd],
  ] as const)
    log(`${title} | ${added.map((ms) => ms.toFixed(1)).join(' ')}`);
  for (const child of [portico, sellers]) await child.stop();
  return [
    { title: eventTitle, unit: 'ms', own: median(untilEvent), goal: { atMost: 5 } },
    { title: responseTitle, unit: 'ms', own: median(untilEnd) },
  ];
};

/** Streams a search. Resolves with the machine time at which the event of the last callback was complete. */
const timeOfLastEvent = async ({ url, ...init }: ReturnType<typeof searchRequest>): Promise<number> => {
  const response = await fetch(url, { ...init, headers: { ...init.headers, Accept: 'text/event-stream' } });
  let events = 0;
  let last: number | undefined;
  let carried = '';
  // The first events are those of the callbacks. A blank line ends each.
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const text = carried + chunk;
    events += text.split('}\n\n').length - 1;
    if (events >= sellerCount) last ??= machineTime();
    carried = text.slice(-2);
  }
  if (last === undefined) throw new Error(`Only ${events} of ${sellerCount} callbacks arrived.`);
  return last;
};

/**
 * A search with three sellers needs five HTTP exchanges and one with one seller needs three. The hand-written correlator
 * shows how much of the ratio is due to Node's HTTP server. The four processes take turns.
 */
const measureCost = async (extent: Extent): Promise<Row> => {
  const { folder, load, rounds, seconds } = extent;
  const floorWith = (count: number): Promise<Child> =>
    start(floorScript, { args: [`${count}`, gatewayOf(sellers, count)] });
  const sellers = await start(sellersScript);
  const [portico1, portico3] = [await porticoWith(sellers, 1, folder), await porticoWith(sellers, 3, folder)];
  const [floor1, floor3] = [await floorWith(1), await floorWith(3)];
  /** Milliseconds of processor time of one search. */
  const cost = async (child: Child): Promise<number> => {
    const before = processorTime(child.pid);
    const { requests } = await load({ ...searchRequest(child), connections: 64, seconds });
    return (processorTime(child.pid) - before) / requests;
  };
  const [own, other]: [number[], number[]] = [[], []];
  for (let round = -1; round < rounds; round++)
    for (const [name, one, three, ratios] of [
      ['Portico', portico1, portico3, own],
      [floorName, floor1, floor3, other],
    ] as const) {
      const [ofOne, ofThree] = [await cost(one), await cost(three)];
      if (round < 0) continue;
      log(`${costTitle} | ${name} | ${ofOne.toFixed(3)} and ${ofThree.toFixed(3)} ms`);
      ratios.push(ofThree / ofOne);
    }
  for (const child of [portico1, portico3, floor1, floor3, sellers]) await child.stop();
  return {
    title: costTitle,
    unit: '×',
    ...comparedWith(floorName, own, other),
    goal: { atMost: 1.6 },
  };
};

const measureMemory = async (): Promise<Row[]> => {
  const child = await start(new URL('collected-bytes.ts', import.meta.url), { nodeArgs: ['--expose-gc'] });
  const { memoryPerByte, keptBytes } = child.ready as unknown as CollectedBytes;
  await child.stop();
  return [
    { title: memoryTitle, unit: 'bytes', own: memoryPerByte, goal: { atMost: 1.1 } },
    { title: limitTitle, unit: 'bytes', own: keptBytes, goal: { atMost: 1_048_576 } },
  ];
};

/** The rows of a leg that collects the callbacks of many sellers, in one process. */
export const measureManySellers = async (extent: Extent): Promise<Row[]> => {
  const has = (title: string) => title.includes(extent.filter);
  return [
    ...(has(eventTitle) || has(responseTitle) ? await measureLatencies(extent) : []),
    ...(has(costTitle) ? [await measureCost(extent)] : []),
    ...(has(memoryTitle) || has(limitTitle) ? await measureMemory() : []),
  ];
};
