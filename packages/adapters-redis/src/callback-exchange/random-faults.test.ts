import { expect, it } from 'vitest';
import { hasRedis } from '../redis-server.test.support.ts';
import { eventually } from './exchange.test.support.ts';
import { type Fault, type Instance, pass, type Rule } from './random-cluster.test.support.ts';
import { Scenario } from './random-scenario.test.support.ts';

/*
 * Random operations and faults on three instances in processes of their own, and one real Redis. A run consists of short
 * rounds. Each round has its own kind of fault, and ends when the faults are over and every leg is settled. What has to hold:
 *
 * - A callback that was acknowledged (`delivered` or `duplicate`) for a leg that waits is delivered to it, or another one
 *   that was offered for the same leg is.
 * - `unknown` and `late` are never returned for a leg that waits.
 * - No leg is delivered twice, or after its release, or by a callback that lacks the verification it needs.
 * - Every leg can be settled once the faults are over, and then nothing is pending.
 * - An instance that has no use of Redis (see `reportedFaults`) reports a problem within 10 s of its next write, and as long
 *   as the fault lasts; within 30 s after the last fault no instance reports a problem.
 * - Without faults, a busy event loop alone makes no instance refuse a callback or report a problem.
 *
 * What the exchange does not promise, and is therefore left out, case by case:
 *
 * - A leg that was registered while its owner had no Redis is `unknown` elsewhere until its owner has recovered.
 * - A callback that its owner could not read for two seconds, after which Redis lost its data; or whose data Redis lost
 *   and whose taker was killed before it could hand the callback over again.
 * - A callback that Redis evicted before its owner read it. Another callback for the same leg is delivered if it is offered
 *   to the owner; other instances acknowledge it as a duplicate.
 * - An owner that is cut off for longer than the settling time after Redis has lost its data. Settling takes 15 s here,
 *   longer than any fault, in two of three runs; in the others no such pair of faults is chosen.
 * - An instance whose Redis user lacks a single right other than to write (`-get`, `-publish`, `-evalsha`) may be healthy
 *   between the commands that need it.
 */

const seed = Number(process.env['PORTICO_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

type Round = (scenario: Scenario) => Promise<unknown>;

/** What becomes of a callback is decided most often at the edges of a fault. */
const offerMeanwhile: (scenario: Scenario) => void = (scenario) => {
  const { random, waiting } = scenario;
  for (const leg of waiting)
    if (random.oneIn(3)) scenario.alongside(scenario.offer(leg, scenario.mostlyNot(leg.owner)));
};

/** Some callbacks for one leg, most often one that waits. */
const offerSome: Round = async (scenario) => {
  const { random, waiting } = scenario;
  const all = [...scenario.legs.values()];
  if (all.length === 0) return;
  const leg = random.oneOf(random.oneIn(4) || waiting.length === 0 ? all : waiting);
  const isVerified = !random.oneIn(3);
  const count = random.oneIn(3) ? random.between(2, 4) : 1;
  const offers = Array.from({ length: count }, () => scenario.offer(leg, scenario.anyInstance(), isVerified));
  if (random.oneIn(2)) await Promise.all(offers);
  else for (const offer of offers) scenario.alongside(offer);
};

const retrySome: Round = async (scenario) => {
  const leg = scenario.waiting.find(({ refused }) => refused.length > 0);
  if (leg) await scenario.retry(leg, scenario.anyInstance());
};

const pause: Round = ({ random }) => pass(random.between(20, 300));

type Step = readonly [weight: number, act: Round];

const oneStep = (scenario: Scenario, steps: readonly Step[]) => {
  let left = scenario.random.next() * steps.reduce((sum, [weight]) => sum + weight, 0);
  const [, act] = steps.find(([weight]) => (left -= weight) < 0)!;
  return act(scenario);
};

const plainSteps: readonly Step[] = [
  [2, (scenario) => scenario.register(scenario.anyInstance(), scenario.random.between(1, 3))],
  [6, offerSome],
  [3, retrySome],
  [1, async (scenario) => scenario.waiting.length > 0 && scenario.release(scenario.random.oneOf(scenario.waiting))],
  [2, pause],
];

type Misfortune = 'nothing' | 'loss' | 'loss, with a new instance' | 'eviction' | 'no right to read';

/** Callbacks are placed while their owner cannot read them, and then something may happen to them. */
const apart =
  (misfortune: Misfortune): Round =>
  async (scenario) => {
    const { random, cluster } = scenario;
    if (misfortune === 'loss, with a new instance') await cluster.kill(scenario.anyInstance());
    // A new one has acknowledged nothing for others, so nothing else makes it notice that it may not read.
    const isOwnerNew = misfortune === 'no right to read' && !random.oneIn(3);
    const owner = isOwnerNew ? await scenario.replace(scenario.anyInstance()) : scenario.anyInstance();
    await scenario.register(owner, random.between(4, 7));
    await scenario.register(scenario.anyInstance());
    const isLoss = misfortune.startsWith('loss');
    const mayNotRead = cluster.mayNot(owner.name, '-get');
    const isAway = cluster.isCutOff(owner);
    // A new connection is needed where the wake-up must not reach the owner.
    const away =
      misfortune === 'no right to read' || isLoss
        ? isAway
        : random.oneOf([isAway, mayNotRead, mayNotRead, cluster.getsNoReplies(owner)]);
    const others = () => cluster.living.filter((one) => one !== owner);
    const offerElsewhere = () => {
      for (const leg of scenario.waiting)
        if (leg.owner === owner && !random.oneIn(3))
          scenario.alongside(scenario.offer(leg, random.oneOf(others()), !random.oneIn(5)));
    };
    await away.begin();
    offerElsewhere();
    if (!random.oneIn(3)) await scenario.settled();
    if (isLoss) {
      await cluster.losesData.begin();
      await cluster.losesData.end();
      if (others().length < 2) await cluster.launch();
      await scenario.healthy(others());
      offerElsewhere();
    } else if (misfortune === 'eviction') {
      await scenario.settled();
      for (const leg of scenario.waiting) if (!random.oneIn(4)) await scenario.evict(leg);
    } else if (misfortune === 'no right to read') await mayNotRead.begin();
    await scenario.settled();
    await pass(random.between(0, 60));
    await away.end();
    if (misfortune === 'no right to read') {
      const problem = async () => (await scenario.problems([owner]))[0]?.startsWith('Redis cannot be reached');
      await eventually(async () => (await problem()) === true, false);
      await pass(random.between(0, 100));
      await mayNotRead.end();
    } else if (misfortune === 'eviction') {
      await scenario.healthy();
      for (const leg of scenario.waiting)
        if (!random.oneIn(3)) await scenario.offer(leg, random.oneIn(2) ? owner : scenario.anyInstance());
    } else if (random.oneIn(2)) offerElsewhere();
  };

/** An instance may not place callbacks, which are sent again to another one. */
const mayNotPlace: Round = async (scenario) => {
  const { random, cluster } = scenario;
  const one = scenario.anyInstance();
  const others = cluster.living.filter((instance) => instance !== one);
  for (const owner of others) await scenario.register(owner, 2);
  const fault = cluster.mayNot(
    one.name,
    random.oneOf(['-publish', '-publish', '-publish', '-set', '-evalsha', 'resetchannels']),
  );
  await fault.begin();
  await Promise.all(scenario.waiting.map((leg) => scenario.offer(leg, one)));
  for (const leg of scenario.waiting)
    if (!random.oneIn(3))
      await scenario.retry(leg, random.oneOf(random.oneIn(4) ? others : others.filter((other) => other !== leg.owner)));
  await fault.end();
};

interface ReportedFault {
  readonly fault: Fault;
  /** Which instances have no use of Redis meanwhile. */
  readonly affected: readonly Instance[];
}

/** One of these is chosen at a time. */
const reportedFaults = {
  refusesWrites: ({ cluster, random }: Scenario, one: Instance): ReportedFault =>
    random.oneOf([
      { fault: cluster.isFull, affected: cluster.living },
      { fault: cluster.isReplica, affected: cluster.living },
      { fault: cluster.mayNot(one.name, '-set'), affected: [one] },
    ]),
  hasNoChannels: ({ cluster }: Scenario, one: Instance): ReportedFault => ({
    fault: cluster.mayNot(one.name, 'resetchannels'),
    affected: [one],
  }),
  cannotBeReached: ({ cluster, random }: Scenario, one: Instance): ReportedFault =>
    random.oneOf([
      { fault: cluster.isCutOff(one), affected: [one] },
      { fault: cluster.getsNoReplies(one), affected: [one] },
      { fault: cluster.isPaused, affected: cluster.living },
      { fault: cluster.isDown, affected: cluster.living },
    ]),
};

/** What has to be reported is reported while operations go on. */
const during = async (scenario: Scenario, affected: readonly Instance[]) => {
  const { random } = scenario;
  for (const instance of affected) scenario.alongside(scenario.register(instance));
  await scenario.reported(affected, async () => {
    const until = performance.now() + random.between(1000, 1500);
    while (performance.now() < until) {
      scenario.alongside(oneStep(scenario, plainSteps));
      await pass(random.between(10, 100));
    }
  });
  if (random.oneIn(2)) offerMeanwhile(scenario);
};

/** A fault that has to be reported, with operations before, during and after it. */
const reported =
  (kind: keyof typeof reportedFaults): Round =>
  async (scenario) => {
    const { random, cluster } = scenario;
    for (const instance of cluster.living) await scenario.register(instance, random.between(1, 3));
    await offerSome(scenario);
    const { fault, affected } = reportedFaults[kind](scenario, scenario.anyInstance());
    if (random.oneIn(2)) offerMeanwhile(scenario);
    await fault.begin();
    if (random.oneIn(2)) offerMeanwhile(scenario);
    await during(scenario, affected);
    await fault.end();
    offerMeanwhile(scenario);
  };

/** An instance is replaced by one whose Redis user has no rights on channels yet. */
const startsWithoutChannels: Round = async (scenario) => {
  const { cluster } = scenario;
  await cluster.kill(scenario.anyInstance());
  const fault = cluster.mayNot(cluster.nameOfNext, 'resetchannels');
  await fault.begin();
  const instance = await cluster.launch();
  await scenario.register(scenario.anyInstance(), 2);
  await during(scenario, [instance]);
  await fault.end();
  offerMeanwhile(scenario);
};

/** The connection looks open and carries nothing: the instance has to find out by itself. */
const deadConnection: Round = async (scenario) => {
  const instance = scenario.anyInstance();
  await scenario.register(instance, 3);
  await scenario.cluster.isDead(instance).begin();
  offerMeanwhile(scenario);
  await scenario.register(instance);
  await scenario.reported([instance], async () => {});
  offerMeanwhile(scenario);
};

/** The slowest reply of Redis to a client without faults while something goes on. */
const slowestReply = async ({ cluster }: Scenario, during: () => Promise<unknown>): Promise<number> => {
  let slowest = 0;
  const fault = { isOver: false };
  const measured = (async () => {
    while (!fault.isOver) {
      const from = performance.now();
      await cluster.look.ping();
      slowest = Math.max(slowest, performance.now() - from);
      await pass(5);
    }
  })();
  await during();
  fault.isOver = true;
  await measured;
  return slowest;
};

/** Event loops are busy for longer than a command may take, and nothing is wrong with Redis. */
const busyLoops: Round = async (scenario) => {
  const { random, cluster } = scenario;
  for (const instance of cluster.living) await scenario.register(instance, 3);
  await scenario.healthy();
  const found: string[] = [];
  const slowest = await slowestReply(scenario, async () => {
    for (let turn = 0; turn < 2; turn++) {
      const instance = scenario.anyInstance();
      const operate = async () => {
        if (random.oneIn(3)) {
          const [leg] = await scenario.register(instance);
          if (!leg?.isRegistered) found.push(`${leg?.id} was registered without Redis`);
        } else {
          const leg = random.oneOf(scenario.waiting);
          if ((await scenario.offer(leg, instance)) === 'overloaded') found.push(`${leg.id} was refused`);
        }
      };
      for (let count = random.between(1, 3); count > 0; count--) scenario.alongside(operate());
      await pass(random.between(0, 2));
      const ms = random.between(550, 800);
      scenario.note(`${instance.name} is busy for ${ms} ms`);
      await instance.process.call('busy', { ms });
      await scenario.settled();
      found.push(...(await scenario.problems()).flatMap((problem) => problem ?? []));
    }
  });
  if (slowest > 100) scenario.note(`not judged, because Redis took ${slowest} ms`);
  else for (const what of found) scenario.violation(`while only event loops were busy: ${what}`);
};

const rules: readonly Rule[] = ['-get', '-set', '-evalsha', '-publish', '-subscribe', 'resetchannels'];

/** Several faults at once, in any order. */
const anythingAtOnce: Round = async (scenario) => {
  const { random, cluster } = scenario;
  let ofRedis: Fault | undefined;
  const ofInstances = new Map<Instance, Fault>();
  const endOfRedis = async () => {
    await ofRedis?.end();
    ofRedis = undefined;
    offerMeanwhile(scenario);
  };
  const disturbRedis = async () => {
    if (ofRedis) return endOfRedis();
    if (random.oneIn(2)) offerMeanwhile(scenario);
    const { isDown, isFull, isPaused, isReplica, losesData } = cluster;
    const mayLose = ofInstances.size === 0 || scenario.isSlowToSettle;
    const fault = random.oneOf([isDown, isFull, isPaused, isReplica, ...(mayLose ? [losesData] : [])]);
    await fault.begin();
    ofRedis = fault;
    return offerMeanwhile(scenario);
  };
  const disturbInstance = async () => {
    const one = scenario.anyInstance();
    const ongoing = ofInstances.get(one);
    if (ongoing) {
      ofInstances.delete(one);
      scenario.alongside(ongoing.end());
      return;
    }
    const rights = rules.map((rule) => cluster.mayNot(one.name, rule));
    const wires = [cluster.isCutOff(one), cluster.getsNoReplies(one), cluster.isDead(one)];
    const fault = random.oneOf(random.oneIn(3) && !ofRedis ? rights : wires);
    ofInstances.set(one, fault);
    await fault.begin();
    offerMeanwhile(scenario);
  };
  const busy = async () => {
    const one = scenario.anyInstance();
    scenario.alongside(one.process.call('busy', { ms: random.between(100, 1000) }));
  };
  const killOne = async () => {
    const one = scenario.anyInstance();
    const ongoing = ofInstances.get(one);
    ofInstances.delete(one);
    if (ongoing) scenario.alongside(ongoing.end());
    await cluster.kill(one);
    await cluster.launch();
  };
  const steps: readonly Step[] = [
    ...plainSteps.map(([weight, act]) => [3 * weight, act] as const),
    [10, disturbRedis],
    [9, disturbInstance],
    [3, busy],
    [2, killOne],
  ];
  await scenario.register(scenario.anyInstance(), 3);
  for (let made = 0; made < 20; made++) await oneStep(scenario, steps);
  if (ofRedis) await endOfRedis();
  for (const fault of ofInstances.values()) await fault.end();
};

/** Redis is silent for longer than a connection is kept. */
const longPause: Round = async (scenario) => {
  await scenario.register(scenario.anyInstance(), 3);
  offerMeanwhile(scenario);
  await scenario.cluster.isPaused.begin();
  offerMeanwhile(scenario);
  await pass(scenario.random.between(4000, 6500));
  await scenario.cluster.isPaused.end();
};

const roundsOf = ({ random, isSlowToSettle }: Scenario): readonly Round[] =>
  random.shuffled<Round>([
    anythingAtOnce,
    anythingAtOnce,
    apart('nothing'),
    apart('nothing'),
    apart('eviction'),
    apart('eviction'),
    apart('no right to read'),
    apart('no right to read'),
    ...(isSlowToSettle ? [apart('loss'), apart('loss'), apart('loss, with a new instance')] : []),
    mayNotPlace,
    mayNotPlace,
    reported('refusesWrites'),
    reported('hasNoChannels'),
    reported('cannotBeReached'),
    startsWithoutChannels,
    busyLoops,
    ...(random.oneIn(3) ? [random.oneOf([deadConnection, longPause])] : []),
  ]);

it.skipIf(!hasRedis)(
  'whatever fails in whichever order, acknowledged callbacks are delivered once, legs settle, and problems are reported',
  async (test) => {
    const log: string[] = [];
    const scenario = await Scenario.start(test, seed, log);
    const run = async () => {
      for (let count = 0; count < 3; count++) await scenario.cluster.launch();
      await scenario.healthy();
      for (const round of roundsOf(scenario)) {
        scenario.note('— a round begins');
        await round(scenario);
        await scenario.recovered();
        await scenario.concluded();
        if (scenario.violations.length > 0) return;
      }
    };
    await run().catch((error: unknown) => scenario.violation(String(error)));
    expect(scenario.violations, `PORTICO_SEED=${seed}\n${log.join('\n')}`).toEqual([]);
    if (process.env['PORTICO_SEED_LOG']) process.stderr.write(`${log.join('\n')}\n`);
  },
);
