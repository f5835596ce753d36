import { setTimeout as pause } from 'node:timers/promises';
import { urlOf } from '../../../child-process.ts';
import { log } from '../../../command.ts';
import type { ContenderName, StartContender } from '../../contenders/start-contender.ts';
import { residentMemory } from '../../load/process-usage.ts';
import type { Extent } from '../extent.ts';
import type { Row } from '../../../records/record.ts';

export const memoryTitle = 'memory over idle while 20 PDFs of 100 MB stream';

/** Memory differs more between runs than between programs. */
const runsPerRound = 4;

const otherName = 'Fastify + reply-from + jose';

/** Peak resident memory above that of the idle, warm server. Skipped without `/proc`. */
export const measureStreamingMemory = async (
  tokens: string,
  startContender: StartContender,
  { load, rounds }: Extent,
): Promise<Row[]> => {
  const growth = async (name: ContenderName): Promise<number> => {
    const child = await startContender(name);
    const put = (path: string, connections: number, seconds: number) =>
      load({ url: urlOf(child) + path, tokens, tokenCount: 20, connections, seconds });
    await put('/me/coverage', 16, 1);
    await put('/me/documents/pdf-2mb', 20, 0);
    await pause(2000);
    const idle = residentMemory(child.pid);
    let peak = idle;
    const timer = setInterval(() => {
      peak = Math.max(peak, residentMemory(child.pid));
    }, 10);
    await put('/me/documents/pdf-100mb', 20, 0);
    await put('/me/documents/pdf-100mb', 20, 0);
    clearInterval(timer);
    await child.stop();
    log(`${memoryTitle} | ${name} | ${((peak - idle) / 1e6).toFixed(0)} MB over ${(idle / 1e6).toFixed(0)} MB`);
    return (peak - idle) / 1e6;
  };
  if (Number.isNaN(residentMemory(process.pid))) {
    log(`SKIPPED: ${memoryTitle}, because there is no /proc`);
    return [];
  }
  const own: number[] = [];
  const other: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (let run = 0; run < runsPerRound; run++) own.push(await growth('Portico'));
    other.push(await growth(otherName));
  }
  const [most, otherMost] = [Math.max(...own), Math.max(...other)];
  return [
    {
      title: memoryTitle,
      unit: 'MB',
      own: most,
      other: { name: otherName, value: otherMost, ratio: most / otherMost },
      goal: { atMost: 150 },
      rounds: { own, other: own.map((_, run) => other[Math.floor(run / runsPerRound)]!) },
    },
  ];
};
