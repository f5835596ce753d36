/**
 * Portico for some minutes under a bit of everything while the outside world falls ill and recovers: every answer is
 * judged, and what the process holds at rest is compared. `npm run soak [-- --minutes 10] [--rate 200]`. Ends with 1 when
 * anything that must hold did not.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { askOnce } from './client.ts';
import { epidemic } from './epidemic.ts';
import type { Holding } from './inside.ts';
import { readLog } from './log.ts';
import { issueMembers } from './members.ts';
import { mixture } from './mixture.ts';
import { startOutside } from './outside.ts';
import { startPortico } from './portico-at-work.ts';
import { positive, runToEnd, tell } from './run.ts';
import { lateMs } from './seller.ts';
import { logIn } from './served.ts';
import { settingsFor } from './settings.ts';
import { reportSoak } from './soak-report.ts';
import { freeSteadyPort } from './steady-port.ts';
import { watchStalls } from './stalls.ts';
import { Tally } from './tally.ts';
import { Traffic } from './traffic.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, rate: { type: 'string', default: '200' } },
});
const minutes = positive(values.minutes);
const loadMs = minutes * 60_000;
const perSecond = positive(values.rate);

/** The breaker hides what comes after its first failures: three services are asked on and on. */
const hasBreaker = (service: string) => ['eligibility', 'policy', 'consent'].includes(service);

const soak = async (folder: string): Promise<boolean> => {
  const ownStalls = watchStalls();
  const issued = await issueMembers(200);
  const outside = await startOutside(issued.jwks);
  const port = await freeSteadyPort();
  const url = `http://127.0.0.1:${port}`;
  const portico = await startPortico(settingsFor(outside, port, hasBreaker), url, folder);
  await pause(5000); // until the connection to the identity provider is closed
  const idle = await portico.holding();
  const tally = new Tally();
  const traffic = new Traffic({
    url,
    perSecond,
    next: mixture(issued, url, hasBreaker),
    history: outside.history,
    isAway: portico.isAway,
    onDone: tally.add,
  });
  const faults = epidemic(outside);
  const rests: Holding[] = [];
  const startedAt = performance.now();
  const progress = setInterval(() => {
    const second = Math.round((performance.now() - startedAt) / 1000);
    tell(
      `${second} s: ${tally.answers} answers, ${tally.unexplained.length} unexplained, ${traffic.underWay} under way`,
    );
  }, 10_000);
  // Every fault has its turn, also in a short run.
  const spellMs = Math.min(2000, Math.max(300, (loadMs / faults.cases) * 1.5));
  const work = (share: number) => faults.rage(loadMs * share, spellMs);
  const rest = async () => {
    await traffic.stop();
    await pause(lateMs); // for the last callbacks
    rests.push(await portico.holding(idle.sockets));
    tell(`at rest: ${JSON.stringify(rests.at(-1))}`);
  };

  traffic.start();
  await work(0.15);
  const restart = await portico.restart();
  tell(`restarted: ${JSON.stringify(restart)}`);
  await work(0.05);
  await outside.restartServices();
  await work(0.1);
  await rest();
  traffic.start();
  await work(0.2);
  await outside.restartServices();
  await work(0.15);
  await rest();
  traffic.start();
  await work(0.35);
  await rest();
  clearInterval(progress);
  const health = await askOnce(url, '/health');
  const report = await outside.report();
  const exitCode = await portico.stop();
  await outside.stop();
  return reportSoak({
    minutes,
    perSecond,
    tally,
    stalls: [...ownStalls, ...report.stalls],
    faults,
    callbacks: { sent: report.sent, wrong: report.wrong.filter((callback) => !portico.wasAwayFor(callback)) },
    log: await readLog(logIn(folder)),
    restart,
    exitCode,
    idle,
    rests,
    pendingLegs: typeof health === 'string' ? -1 : (JSON.parse(health.text) as { readonly pending: number }).pending,
  });
};

await runToEnd(soak);
