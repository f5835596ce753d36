import { expect, it } from 'vitest';
import { hasRedis } from '../redis-server.test.support.ts';
import { eventually } from './exchange.test.support.ts';
import { type Fault, type Instance, pass, type Rule } from './random-cluster.test.support.ts';
import { Scenario } from './random-scenario.test.support.ts';

/*
 * Runs random operations and faults on three instances in separate processes and one Redis. A run consists of short
 * rounds. Each round has one kind of fault, and ends when the faults are over and every leg is settled. Invariants:
 *
 * - If a callback for a waiting leg was acknowledged (`delivered` or `duplicate`), this or another callback that was
 *   offered for the leg is delivered. If the leg collects, it is this callback.
 * - `unknown` and `late` are never returned for a waiting leg.
 * - No leg is delivered twice, after its release, or by an unverified callback if it requires verification. A leg that
 *   collects is delivered nothing twice.
 * - Every leg can be settled after the faults, and then nothing is pending.
 * - An instance that cannot use Redis (see `reportedFaults`) reports a degraded reason within 10 s of its next write and
 *   while the fault lasts. Within 30 s after the last fault, no instance reports one.
 * - Without faults, a blocked event loop makes no instance refuse a callback or report a degraded reason.
 *
 * The exchange does not guarantee the following cases, which are excluded:
 *
 * - A leg that was registered while its owner had no Redis is `unknown` on other instances until its owner has recovered.
 * - A callback is lost if its owner cannot read it for two seconds and Redis then loses its data, or if Redis loses its
 *   data and the instance that stored it is killed before it can store it again.
 * - A callback is lost if Redis evicts it before its owner has read it. Another callback for the leg is delivered if it is
 *   offered to the owner; other instances acknowledge it as a duplicate.
 * - An owner may be disconnected for longer than the settling time after Redis has lost its data. In two of three runs the
 *   settling time is 60 s, longer than any fault; in the others such faults are not combined.
 * - An instance whose Redis user lacks a single right other than writing (`-getrange`, `-xdel`, `-publish`, `-evalsha`) may be healthy
 *   between the commands that need the right.
 */

const seed = Number(process.env['PORTICO_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

type Round = (scenario: Scenario) => Promise<unknown>;

/** Offers callbacks in the background. Used at the start and end of faults, where most races occur. */
const offerInBackground: (scenario: Scenario) => void = (scenario) => {
  const { random, waiting } = scenario;
  for (const leg of waiting)
    if (random.oneIn(3)) scenario.inBackground(scenario.offer(leg, scenario.usuallyAnotherThan(leg.owner)));
};

/** Offers one or more callbacks to a leg, which usually waits. */
const offerSome: Round = async (scenario) => {
  const { random, waiting } = scenario;
  const all = [...scenario.legs.values()];
  if (all.length === 0) return;
  const leg = random.oneOf(random.oneIn(4) || waiting.length === 0 ? all : waiting);
  const isVerified = !random.oneIn(3);
  const count = random.oneIn(3) ? random.between(2, 4) : 1;
  const offers = Array.from({ length: count }, () =>
    leg.collects && random.oneIn(3)
      ? scenario.repeat(leg, scenario.anyInstance())
      : scenario.offer(leg, scenario.anyInstance(), isVerified),
  );
  if (random.oneIn(2)) await Promise.all(offers);
  else for (const offer of offers) scenario.inBackground(offer);
};

const retrySome: Round = async (scenario) => {
  const leg = scenario.waiting.find(({ refused }) => refused.length > 0);
  if (leg) await scenario.retry(leg, scenario.anyInstance());
};

const pause: Round = ({ random }) => pass(random.between(20, 300));

type Step = readonly [weight: number, run: Round];

const randomStep = (scenario: Scenario, steps: readonly Step[]) => {
  let left = scenario.random.next() * steps.reduce((sum, [weight]) => sum + weight, 0);
  const [, run] = steps.find(([weight]) => (left -= weight) < 0)!;
  return run(scenario);
};

const plainSteps: readonly Step[] = [
  [2, (scenario) => scenario.register(scenario.anyInstance(), scenario.random.between(1, 3))],
  [6, offerSome],
  [3, retrySome],
  [1, async (scenario) => scenario.waiting.length > 0 && scenario.release(scenario.random.oneOf(scenario.waiting))],
  [2, pause],
];

type Incident = 'nothing' | 'loss' | 'loss, with a new instance' | 'eviction' | 'no read right';

/** Stores callbacks while their owner cannot read them, followed by an incident. */
const storedWhileOwnerIsAway =
  (incident: Incident): Round =>
  async (scenario) => {
    const { random, cluster } = scenario;
    if (incident === 'loss, with a new instance') await cluster.kill(scenario.anyInstance());
    // A new instance has acknowledged no callbacks for others, so only reading shows it that the right is missing.
    const isOwnerNew = incident === 'no read right' && !random.oneIn(3);
    const owner = isOwnerNew ? await scenario.replace(scenario.anyInstance()) : scenario.anyInstance();
    await scenario.register(owner, random.between(4, 7));
    await scenario.register(scenario.anyInstance());
    const isLoss = incident.startsWith('loss');
    const noReadRight = cluster.reducedRights(owner.name, '-getrange -xrange');
    const disconnected = cluster.disconnection(owner);
    // Uses a new connection where the wake-up must not reach the owner.
    const absence =
      incident === 'no read right' || isLoss
        ? disconnected
        : random.oneOf([disconnected, noReadRight, noReadRight, cluster.replyLoss(owner)]);
    const others = () => cluster.running.filter((one) => one !== owner);
    const offerElsewhere = () => {
      for (const leg of scenario.waiting)
        if (leg.owner === owner && !random.oneIn(3))
          scenario.inBackground(scenario.offer(leg, random.oneOf(others()), !random.oneIn(5)));
    };
    await absence.begin();
    offerElsewhere();
    if (!random.oneIn(3)) await scenario.waitForBackground();
    if (isLoss) {
      await cluster.dataLoss.begin();
      await cluster.dataLoss.end();
      if (others().length < 2) await cluster.launch();
      await scenario.waitUntilHealthy(others());
      offerElsewhere();
    } else if (incident === 'eviction') {
      await scenario.waitForBackground();
      for (const leg of scenario.waiting) if (!random.oneIn(4)) await scenario.evict(leg);
    } else if (incident === 'no read right') await noReadRight.begin();
    await scenario.waitForBackground();
    await pass(random.between(0, 60));
    await absence.end();
    if (incident === 'no read right') {
      const problem = async () => (await scenario.problems([owner]))[0]?.startsWith('Redis is unreachable');
      await eventually(async () => (await problem()) === true, false);
      await pass(random.between(0, 100));
      await noReadRight.end();
    } else if (incident === 'eviction') {
      await scenario.waitUntilHealthy();
      for (const leg of scenario.waiting)
        if (!random.oneIn(3)) await scenario.offer(leg, random.oneIn(2) ? owner : scenario.anyInstance());
    } else if (random.oneIn(2)) offerElsewhere();
  };

/** One instance lacks a right to store callbacks, which are then sent to another instance. */
const noStoreRight: Round = async (scenario) => {
  const { random, cluster } = scenario;
  const one = scenario.anyInstance();
  const others = cluster.running.filter((instance) => instance !== one);
  for (const owner of others) await scenario.register(owner, 2);
  const fault = cluster.reducedRights(
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
  /** The instances that cannot use Redis during the fault. */
  readonly affected: readonly Instance[];
}

/** Faults that affected instances must report. */
const reportedFaults = {
  refusesWrites: ({ cluster, random }: Scenario, one: Instance): ReportedFault =>
    random.oneOf([
      { fault: cluster.outOfMemory, affected: cluster.running },
      { fault: cluster.replicaRole, affected: cluster.running },
      { fault: cluster.reducedRights(one.name, '-set'), affected: [one] },
    ]),
  noChannelRights: ({ cluster }: Scenario, one: Instance): ReportedFault => ({
    fault: cluster.reducedRights(one.name, 'resetchannels'),
    affected: [one],
  }),
  unreachable: ({ cluster, random }: Scenario, one: Instance): ReportedFault =>
    random.oneOf([
      { fault: cluster.disconnection(one), affected: [one] },
      { fault: cluster.replyLoss(one), affected: [one] },
      { fault: cluster.stoppedProcess, affected: cluster.running },
      { fault: cluster.slowRestart, affected: cluster.running },
    ]),
};

/** Checks that the fault is reported while operations continue. */
const operateDuringFault = async (scenario: Scenario, affected: readonly Instance[]) => {
  const { random } = scenario;
  for (const instance of affected) scenario.inBackground(scenario.register(instance));
  await scenario.expectReported(affected, async () => {
    const until = performance.now() + random.between(1000, 1500);
    while (performance.now() < until) {
      scenario.inBackground(randomStep(scenario, plainSteps));
      await pass(random.between(10, 100));
    }
  });
  if (random.oneIn(2)) offerInBackground(scenario);
};

/** A fault that must be reported, with operations before, during and after it. */
const reported =
  (kind: keyof typeof reportedFaults): Round =>
  async (scenario) => {
    const { random, cluster } = scenario;
    for (const instance of cluster.running) await scenario.register(instance, random.between(1, 3));
    await offerSome(scenario);
    const { fault, affected } = reportedFaults[kind](scenario, scenario.anyInstance());
    if (random.oneIn(2)) offerInBackground(scenario);
    await fault.begin();
    if (random.oneIn(2)) offerInBackground(scenario);
    await operateDuringFault(scenario, affected);
    await fault.end();
    offerInBackground(scenario);
  };

/** Replaces an instance by one whose Redis user has no channel rights yet. */
const startWithoutChannelRights: Round = async (scenario) => {
  const { cluster } = scenario;
  await cluster.kill(scenario.anyInstance());
  const fault = cluster.reducedRights(cluster.nextName, 'resetchannels');
  await fault.begin();
  const instance = await cluster.launch();
  await scenario.register(scenario.anyInstance(), 2);
  await operateDuringFault(scenario, [instance]);
  await fault.end();
  offerInBackground(scenario);
};

/** The connection is open but transfers nothing, which the instance has to detect. */
const deadConnection: Round = async (scenario) => {
  const instance = scenario.anyInstance();
  await scenario.register(instance, 3);
  await scenario.cluster.frozenConnection(instance).begin();
  offerInBackground(scenario);
  await scenario.register(instance);
  await scenario.expectReported([instance], async () => {});
  offerInBackground(scenario);
};

/** Measures the slowest reply of Redis to a client without faults during an operation, in milliseconds. */
const slowestReply = async ({ cluster }: Scenario, operation: () => Promise<unknown>): Promise<number> => {
  let slowest = 0;
  const fault = { isOver: false };
  const measured = (async () => {
    while (!fault.isOver) {
      const from = performance.now();
      await cluster.observer.ping();
      slowest = Math.max(slowest, performance.now() - from);
      await pass(5);
    }
  })();
  await operation();
  fault.isOver = true;
  await measured;
  return slowest;
};

/** Blocks event loops for longer than the command timeout, while Redis is healthy. */
const blockedEventLoops: Round = async (scenario) => {
  const { random, cluster } = scenario;
  for (const instance of cluster.running) await scenario.register(instance, 3);
  await scenario.waitUntilHealthy();
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
      for (let count = random.between(1, 3); count > 0; count--) scenario.inBackground(operate());
      await pass(random.between(0, 2));
      const ms = random.between(550, 800);
      scenario.note(`${instance.name} is blocked for ${ms} ms`);
      await instance.process.call('busy', { ms });
      await scenario.waitForBackground();
      found.push(...(await scenario.problems()).flatMap((problem) => problem ?? []));
    }
  });
  if (slowest > 100) scenario.note(`skipped the checks, because a reply of Redis took ${slowest} ms`);
  else for (const what of found) scenario.violation(`while only event loops were blocked: ${what}`);
};

const rules: readonly Rule[] = [
  '-getrange -xrange',
  '-xdel',
  '-set',
  '-evalsha',
  '-publish',
  '-subscribe',
  'resetchannels',
];

/** Several faults at once, in random order. */
const combinedFaults: Round = async (scenario) => {
  const { random, cluster } = scenario;
  let redisFault: Fault | undefined;
  const instanceFaults = new Map<Instance, Fault>();
  const endRedisFault = async () => {
    await redisFault?.end();
    redisFault = undefined;
    offerInBackground(scenario);
  };
  const disturbRedis = async () => {
    if (redisFault) return endRedisFault();
    if (random.oneIn(2)) offerInBackground(scenario);
    const { slowRestart, outOfMemory, stoppedProcess, replicaRole, dataLoss } = cluster;
    const mayLose = instanceFaults.size === 0 || scenario.isSlowToSettle;
    const fault = random.oneOf([slowRestart, outOfMemory, stoppedProcess, replicaRole, ...(mayLose ? [dataLoss] : [])]);
    await fault.begin();
    redisFault = fault;
    return offerInBackground(scenario);
  };
  const disturbInstance = async () => {
    const one = scenario.anyInstance();
    const ongoing = instanceFaults.get(one);
    if (ongoing) {
      instanceFaults.delete(one);
      scenario.inBackground(ongoing.end());
      return;
    }
    const rights = rules.map((rule) => cluster.reducedRights(one.name, rule));
    const wires = [cluster.disconnection(one), cluster.replyLoss(one), cluster.frozenConnection(one)];
    const fault = random.oneOf(random.oneIn(3) && !redisFault ? rights : wires);
    instanceFaults.set(one, fault);
    await fault.begin();
    offerInBackground(scenario);
  };
  const busy = async () => {
    const one = scenario.anyInstance();
    scenario.inBackground(one.process.call('busy', { ms: random.between(100, 1000) }));
  };
  const killOne = async () => {
    const one = scenario.anyInstance();
    const ongoing = instanceFaults.get(one);
    instanceFaults.delete(one);
    if (ongoing) scenario.inBackground(ongoing.end());
    await cluster.kill(one);
    await cluster.launch();
  };
  const steps: readonly Step[] = [
    ...plainSteps.map(([weight, run]) => [3 * weight, run] as const),
    [10, disturbRedis],
    [9, disturbInstance],
    [3, busy],
    [2, killOne],
  ];
  await scenario.register(scenario.anyInstance(), 3);
  for (let made = 0; made < 20; made++) await randomStep(scenario, steps);
  if (redisFault) await endRedisFault();
  for (const fault of instanceFaults.values()) await fault.end();
};

/** Redis does not reply for longer than a connection is kept. */
const longPause: Round = async (scenario) => {
  await scenario.register(scenario.anyInstance(), 3);
  offerInBackground(scenario);
  await scenario.cluster.stoppedProcess.begin();
  offerInBackground(scenario);
  await pass(scenario.random.between(4000, 6500));
  await scenario.cluster.stoppedProcess.end();
};

const roundsOf = ({ random, isSlowToSettle }: Scenario): readonly Round[] =>
  random.shuffled<Round>([
    combinedFaults,
    storedWhileOwnerIsAway('nothing'),
    storedWhileOwnerIsAway('eviction'),
    storedWhileOwnerIsAway('no read right'),
    ...(isSlowToSettle ? [storedWhileOwnerIsAway('loss'), storedWhileOwnerIsAway('loss, with a new instance')] : []),
    noStoreRight,
    reported('refusesWrites'),
    reported('noChannelRights'),
    reported('unreachable'),
    startWithoutChannelRights,
    blockedEventLoops,
    ...(random.oneIn(3) ? [random.oneOf([deadConnection, longPause])] : []),
  ]);

it.skipIf(!hasRedis)(
  'the exchange delivers acknowledged callbacks once, settles all legs and reports problems under random faults',
  async (test) => {
    const log: string[] = [];
    const scenario = await Scenario.start(test, seed, log);
    const run = async () => {
      for (let count = 0; count < 3; count++) await scenario.cluster.launch();
      await scenario.waitUntilHealthy();
      for (const round of roundsOf(scenario)) {
        scenario.note('— a round begins');
        await round(scenario);
        await scenario.waitUntilRecovered();
        await scenario.settleAllLegs();
        if (scenario.violations.length > 0) return;
      }
    };
    await run().catch((error: unknown) => scenario.violation(String(error)));
    expect(scenario.violations, `PORTICO_SEED=${seed}\n${log.join('\n')}`).toEqual([]);
    if (process.env['PORTICO_SEED_LOG']) process.stderr.write(`${log.join('\n')}\n`);
  },
);
