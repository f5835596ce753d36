import type { Clock } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { noApiEnabled } from '../commands/config.ts';
import { screenOf } from '../output/screen.ts';
import { exitCodeOf } from '../output/exit-code.ts';
import { progress } from '../output/progress.ts';
import { writeJson } from '../output/write-json.ts';
import { fail } from '../output/cli-error.ts';
import { type CommandHandler, stringOption } from '../session/command.ts';
import { doctorDefaults } from '../session/option-defaults.ts';
import { tokenOf } from '../session/credentials.ts';
import { unlessInterrupted } from '../session/interrupt.ts';
import { fromThrowable } from 'neverthrow';
import { codeOf } from '../settings/file-problems.ts';
import { connectionsOf } from '../connection/connections.ts';
import { enabledApis } from '../settings/configured-services.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { examineCallbackUrls } from './callback-url.ts';
import { checkRunner, type Checks, failed, notTested, ok, type RunCheck } from './check.ts';
import { examineIssuers } from './issuer.ts';
import { examineNetworks } from './networks.ts';
import { examineRedis } from './redis-server.ts';
import { type Report, reportOf, showReport } from './report.ts';
import { examineServices } from './services.ts';
import { examineSessions } from './sessions.ts';
import { examineToken } from './token.ts';
import { examineTokenRequests } from './token-requests.ts';

/** Tests every external system in the settings, and the token if there is one (contract, section 7). */
export const doctor: CommandHandler = async (context) => {
  if (enabledApis(context.loaded.settings).length === 0) return fail(noApiEnabled, context);
  const token = await unlessInterrupted(context.signal, tokenOf(context));
  if (token === 'aborted') return 1;
  if (token.isErr()) return fail(token.error, context);
  const shown = progress();
  shown.waiting('checking …');
  const timeoutMs = Number(stringOption(context, 'timeout') ?? doctorDefaults.timeoutMs);
  const check = checkRunner(systemClock, context.signal, timeoutMs);
  const report = await unlessInterrupted(context.signal, examine(context.loaded, token.value, systemClock, check));
  shown.end();
  if (report === 'aborted') return 1;
  if (context.json) writeJson(JSON.stringify(report));
  else process.stdout.write(showReport(report, screenOf(process.stdout)));
  return report.ok ? 0 : exitCodeOf.upstream;
};

/** The folder that a server reads at its start. Pages that are missing are no failure: they may be built later. */
const examinePages: Checks = async ({ settings, check }) => {
  const { directory } = settings.pages;
  if (directory === undefined) return [];
  const { pagesProblem } = await import('@portico/adapters-koa');
  return [
    await check('pages', async () => {
      const problem = fromThrowable(() => pagesProblem(directory), codeOf)();
      if (problem.isErr()) return failed(`pages.directory cannot be read (${problem.error})`, 'Check its permissions.');
      return problem.value === undefined
        ? ok('the folder has an index.html')
        : notTested(`pages.directory ${problem.value}`, 'A server does not start without them.');
    }),
  ];
};

/** All checks at once. */
export const examine = async (
  { settings, sourceOf }: LoadedSettings,
  token: string | undefined,
  clock: Clock,
  check: RunCheck,
): Promise<Report> => {
  const examination = { settings, connections: connectionsOf(settings), clock, check };
  const [issuer, ...others] = await Promise.all([
    examineIssuers(examination),
    examineServices(examination),
    examineTokenRequests(examination),
    examineSessions(examination),
    examineNetworks(examination),
    examineCallbackUrls(examination, sourceOf),
    examineRedis(examination),
  ]);
  // Afterwards: reading a large folder would use up the time of the other checks.
  others.push(await examinePages(examination));
  const rules = token === undefined ? undefined : await examineToken(token, examination, issuer.keys);
  return reportOf([...issuer.results, ...others.flat()], rules);
};
