import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { start, urlOf } from '../../../child-process.ts';
import { log } from '../../../command.ts';
import { contenderStarter } from '../../contenders/start-contender.ts';
import { issueTokens } from '../../load/access-tokens.ts';
import type { Extent } from '../extent.ts';
import { measureStreamingMemory, memoryTitle } from './member-memory.ts';
import { measureThroughput, throughputCases } from './member-throughput.ts';
import type { Row } from '../../../records/record.ts';

/** The rows of the member routes. */
export const measureMember = async (extent: Extent): Promise<Row[]> => {
  const { filter, folder } = extent;
  const cases = throughputCases.filter(({ title }) => title.includes(filter));
  const wantsMemory = memoryTitle.includes(filter);
  if (cases.length === 0 && !wantsMemory) return [];
  const tokens = join(folder, 'tokens.json');
  const count = Math.max(1000, ...cases.map((one) => one.tokens));
  log(`signing ${count} tokens`);
  const issued = await issueTokens(count);
  writeFileSync(tokens, JSON.stringify(issued.tokens));
  const downstream = await start(new URL('../../load/downstream.ts', import.meta.url), { args: [issued.jwks] });
  const startContender = contenderStarter(urlOf(downstream), folder);
  const rows: Row[] = [];
  for (const one of cases) rows.push(...(await measureThroughput(one, tokens, startContender, extent)));
  if (wantsMemory) rows.push(...(await measureStreamingMemory(tokens, startContender, extent)));
  await downstream.stop();
  return rows;
};
