import { start, urlOf } from '../../child-process.ts';
import { log } from '../../command.ts';
import { machineTime } from '../../machine-time.ts';
import { startPortico } from '../../portico.ts';
import { legSettings } from '../../portico-settings.ts';
import { reservePort } from '../../ports.ts';
import { median } from '../../statistics.ts';
import { processorTime } from '../load/process-usage.ts';
import type { CollectedBytes } from './collected-bytes.ts';
import type { Extent } from './extent.ts';
import type { Row } from './row.ts';
import { searchRequest } from './search.ts';

const eventTitle = 'added to the last of 100 callbacks of 50 kB, until its event: p50';
/** The client has the whole response of 5 MB. */
const responseTitle = 'added to the last of 100 callbacks of 50 kB, until the response ends: p50';
const sellerCount = 100;
const costTitle = 'processor time of a search with three sellers, relative to one';
const memoryTitle = 'memory per byte collected, 20 pending legs with 100 callbacks of 50 kB';
const limitTitle = 'bytes kept by a leg with a maxBytes of 1 MiB, of 5 MB sent';

/** Runs a measurement of Portico with one leg that ends with the callback of the last of these sellers. */
const withSellers = async <T>(
  { count, bytes, pauseMs }: { readonly count: number; readonly bytes: number; readonly pauseMs: number },
  { folder }: Extent,
  measure: (portico: Awaited<ReturnType<typeof start>>, sellers: Awaited<ReturnType<typeof start>>) => Promise<T>,
): Promise<T> => {
  const sellers = await start(new URL('../load/sellers.ts', import.meta.url));
  const port = await reservePort();
  const gateway = `${urlOf(sellers)}/mh/0/${count}/${bytes}/${pauseMs}`;
  const leg = { ...legSettings(`http://127.0.0.1:${port}`, gateway), callbacks: { count } };
  const portico = await startPortico({ listen: { host: '127.0.0.1', port }, search: { legs: { mh: leg } } }, folder);
  const result = await measure(portico, sellers);
  for (const child of [portico, sellers]) await child.stop();
  return result;
};

const measureLatencies = (extent: Extent): Promise<Row[]> =>
  // The pause keeps the callbacks before the last one out of the result.
  withSellers({ count: sellerCount, bytes: 50_000, pauseMs: 5 }, extent, async (portico, sellers) => {
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
    return [
      { title: eventTitle, unit: 'ms', own: median(untilEvent), goal: { atMost: 5 } },
      { title: responseTitle, unit: 'ms', own: median(untilEnd) },
    ];
  });

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

/** Milliseconds of processor time of one search, by round. */
const costs = (count: number, extent: Extent): Promise<readonly number[]> =>
  withSellers({ count, bytes: 0, pauseMs: 0 }, extent, async (portico) => {
    const request = { ...searchRequest(portico), connections: 64, seconds: extent.seconds };
    await extent.load(request);
    const each: number[] = [];
    for (let round = 0; round < extent.rounds; round++) {
      const before = processorTime(portico.pid);
      const { requests } = await extent.load(request);
      each.push((processorTime(portico.pid) - before) / requests);
    }
    log(`${costTitle} | ${count} sellers | ${each.map((ms) => ms.toFixed(3)).join(' ')} ms`);
    return each;
  });

const measureCost = async (extent: Extent): Promise<Row> => {
  const [one, three] = [median(await costs(1, extent)), median(await costs(3, extent))];
  return { title: costTitle, unit: '×', own: three / one, goal: { atMost: 1.6 } };
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
