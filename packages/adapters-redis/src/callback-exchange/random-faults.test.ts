import { expect, it, type TestContext } from 'vitest';
import { hasRedis } from '../redis-server.test.support.ts';
import { eventually } from './exchange.test.support.ts';
import type { Replies } from './instance-process.test.support.ts';
import { Cluster, type Fault, type Instance, pass, Random } from './random-faults.test.support.ts';

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
const ttlMs = 120_000;

interface Leg {
  readonly id: string;
  readonly owner: Instance;
  readonly isVerifiedOnly: boolean;
  /** Whether Redis has known of it, and the owner has had it registered since. */
  isRegistered: boolean;
  isReleased: boolean;
  readonly delivered: string[];
  /** Every callback that was offered, with whether it was verified. */
  readonly offered: Map<string, boolean>;
  readonly acknowledged: { readonly by: Instance; readonly at: number }[];
  /** Its callbacks that have to be sent again. */
  readonly refused: { readonly callback: string; readonly isVerified: boolean }[];
  /** When Redis evicted a callback that waited for the owner. */
  evictedAt: number;
}

/** By then an instance lets go of what it has handed over, as long as Redis is healthy; with a margin. */
const readByMs = 1900;

/** What is known of each leg, what has happened, and what should not have. */
class Scenario {
  readonly random: Random;
  readonly cluster: Cluster;
  readonly isSlowToSettle: boolean;
  readonly violations: string[] = [];
  readonly legs = new Map<string, Leg>();
  readonly #log: string[];
  readonly #startedAt = performance.now();
  readonly #underway = new Set<Promise<unknown>>();
  #callbacks = 0;

  private constructor(random: Random, cluster: Cluster, isSlowToSettle: boolean, log: string[]) {
    this.random = random;
    this.cluster = cluster;
    this.isSlowToSettle = isSlowToSettle;
    this.#log = log;
  }

  static async start(test: TestContext, log: string[]): Promise<Scenario> {
    const random = new Random(seed);
    const isSlowToSettle = !random.oneIn(3);
    const cluster = await Cluster.start(test, {
      random,
      settlingMs: isSlowToSettle ? 15_000 : 5000,
      onDelivered: (owner, id, callback) => scenario.#onDelivered(owner, id, callback),
      note: (event) => scenario.note(event),
    });
    const scenario = new Scenario(random, cluster, isSlowToSettle, log);
    return scenario;
  }

  note(event: string): void {
    this.#log.push(`${Math.round(performance.now() - this.#startedAt)} ms: ${event}`);
  }

  violation(what: string): void {
    this.note(`VIOLATION: ${what}`);
    this.violations.push(what);
  }

  /** Legs that no callback has reached yet and that should get one. */
  get waiting(): readonly Leg[] {
    return [...this.legs.values()].filter(
      ({ owner, isReleased, delivered }) => owner.process.isAlive && !isReleased && delivered.length === 0,
    );
  }

  anyInstance(): Instance {
    return this.random.oneOf(this.cluster.living);
  }

  /** Another one than this, mostly: what a callback meets on its way to another instance is where the faults are. */
  mostlyNot(instance: Instance): Instance {
    const others = this.cluster.living.filter((one) => one !== instance);
    return this.random.oneIn(8) ? instance : this.random.oneOf(others);
  }

  /** Lets something go on while further steps are made. */
  alongside(task: Promise<unknown>): void {
    const settled = task.finally(() => this.#underway.delete(settled));
    this.#underway.add(settled);
  }

  async settled(): Promise<void> {
    while (this.#underway.size > 0) await Promise.all(this.#underway);
  }

  async register(owner: Instance, count = 1): Promise<readonly Leg[]> {
    return Promise.all(Array.from({ length: count }, () => this.#registerOne(owner, this.random.oneIn(3))));
  }

  async #registerOne(owner: Instance, isVerifiedOnly: boolean): Promise<Leg> {
    const id = `leg-${this.legs.size}`;
    const leg: Leg = {
      id,
      owner,
      isVerifiedOnly,
      isRegistered: false,
      isReleased: false,
      delivered: [],
      offered: new Map(),
      acknowledged: [],
      refused: [],
      evictedAt: -Infinity,
    };
    this.legs.set(id, leg);
    leg.isRegistered = (await owner.process.call('expect', { id, isVerifiedOnly, ttlMs })) === true;
    this.note(
      `${id} waits at ${owner.name}${isVerifiedOnly ? ', verified only' : ''}${leg.isRegistered ? '' : ', without Redis'}`,
    );
    return leg;
  }

  async release(leg: Leg): Promise<void> {
    this.note(`${leg.id} is released`);
    await leg.owner.process.call('release', { id: leg.id });
    leg.isReleased = true;
  }

  async evict(leg: Leg): Promise<void> {
    if (await this.cluster.evict(leg.id)) leg.evictedAt = performance.now();
  }

  newCallback(): string {
    return `{"nth":${this.#callbacks++}${this.random.oneIn(8) ? `,"filler":"${'x'.repeat(300_000)}"` : ''}}`;
  }

  async offer(
    leg: Leg,
    at: Instance,
    isVerified = true,
    callback = this.newCallback(),
  ): Promise<Replies['offer'] | undefined> {
    const { id, owner } = leg;
    leg.offered.set(callback, isVerified);
    const wasRegistered = leg.isRegistered;
    const outcome = await at.process.call('offer', { id, callback, isVerified });
    this.note(
      `${id}: ${outcome ?? 'no reply'} at ${at.name} for ${callback.slice(0, 20)}${isVerified ? ', verified' : ''}`,
    );
    const isWaiting = owner.process.isAlive && !leg.isReleased && leg.delivered.length === 0;
    if (outcome === 'delivered' || outcome === 'duplicate') {
      if (isWaiting) leg.acknowledged.push({ by: at, at: performance.now() });
      if (outcome === 'delivered' && leg.isVerifiedOnly && !isVerified)
        this.violation(`${id} takes verified callbacks only, and an unverified one was accepted`);
    } else if (outcome === 'unverified') {
      if (isVerified || !leg.isVerifiedOnly) this.violation(`${id} refused a callback as not verified`);
    } else if (outcome === 'overloaded' || outcome === undefined) leg.refused.push({ callback, isVerified });
    else if (isWaiting && (wasRegistered || at === owner))
      this.violation(`${id} waits, and its callback was ${outcome}`);
    return outcome;
  }

  /** Sends a refused callback again, as its seller does. */
  async retry(leg: Leg, at: Instance): Promise<void> {
    const refused = leg.refused.shift();
    if (refused) await this.offer(leg, at, refused.isVerified, refused.callback);
  }

  #onDelivered(owner: string, id: string, callback: string): void {
    const leg = this.legs.get(id)!;
    this.note(`${id} is delivered at ${owner}`);
    if (leg.isReleased) this.violation(`${id} was delivered after its release`);
    if (leg.delivered.push(callback) > 1) this.violation(`${id} was delivered twice`);
    const isVerified = leg.offered.get(callback);
    if (isVerified === undefined) this.violation(`${id} got a callback that was not its own`);
    if (leg.isVerifiedOnly && !isVerified) this.violation(`${id} was delivered an unverified callback`);
  }

  /** Whether what was acknowledged is lost in one of the ways that are not promised to be covered. */
  #isExcused({ owner, acknowledged, evictedAt }: Leg): boolean {
    const { lossesAt } = this.cluster;
    const isLost = (by: Instance, at: number) =>
      at < (lossesAt.at(-1) ?? -Infinity) &&
      (!by.process.isAlive || lossesAt.some((lossAt) => lossAt > at && lossAt - at > readByMs));
    const isEvicted = (by: Instance, at: number) => at < evictedAt || (evictedAt > 0 && by !== owner);
    return acknowledged.every(({ by, at }) => isLost(by, at) || isEvicted(by, at));
  }

  /** What each instance reports: undefined when it is healthy. */
  async problems(instances = this.cluster.living): Promise<readonly (string | undefined)[]> {
    const states = await Promise.all(instances.map(({ process }) => process.call('state', {})));
    return states.map((state) => (state ? state.trouble : 'is gone'));
  }

  /** Waits until no instance reports a problem. */
  async healthy(instances = this.cluster.living): Promise<void> {
    await eventually(async () => (await this.problems(instances)).filter((problem) => problem !== undefined), []).catch(
      async () => this.violation(`problems are still reported: ${(await this.problems(instances)).join()}`),
    );
    this.note(`healthy: ${instances.map(({ name }) => name).join()}`);
  }

  /** Checks that each of these instances, which have no use of Redis, reports it soon and as long as something goes on. */
  async reported(instances: readonly Instance[], during: () => Promise<unknown>): Promise<void> {
    const silent = async () => {
      const problems = await this.problems(instances);
      return instances.filter((_, nth) => problems[nth] === undefined).map(({ name }) => name);
    };
    const soon = { timeout: 10_000, interval: 10 };
    await eventually(silent, [], soon).catch(async () =>
      this.violation(`no problem is reported by ${(await silent()).join()}`),
    );
    let isOver = false;
    const watched = (async () => {
      for (let names = await silent(); !isOver; names = await silent()) {
        if (names.length > 0) return this.violation(`the problem is no longer reported by ${names.join()}`);
        await pass(10);
      }
    })();
    await during();
    isOver = true;
    await watched;
  }

  /** After the faults: waits until everything is healthy and every leg that waits is known to Redis. */
  async recovered(): Promise<void> {
    await this.settled();
    await this.healthy();
    const lost = async () => {
      const ids = this.waiting.map(({ id }) => id);
      const found = await Promise.all(ids.map((id) => this.cluster.look.exists(`portico:{${id}}:leg`)));
      return ids.filter((_, nth) => found[nth] === 0);
    };
    await eventually(lost, []).catch(async () => this.violation(`${(await lost()).join()} is not registered again`));
    for (const leg of this.waiting) leg.isRegistered = true;
  }

  /** Settles every leg, after the faults. */
  async concluded(): Promise<void> {
    const soon = { timeout: 10_000, interval: 10 };
    for (const leg of this.waiting)
      if (leg.acknowledged.length > 0 && this.#isExcused(leg)) this.note(`${leg.id} is excused`);
      else if (leg.acknowledged.length > 0)
        await eventually(() => leg.delivered.length, 1, soon).catch(() =>
          this.violation(`${leg.id} was acknowledged and not delivered`),
        );
    // What was refused is sent again, and every leg that still waits gets a callback at last.
    for (const leg of this.waiting) {
      while (leg.refused.length > 0) await this.retry(leg, this.anyInstance());
      leg.refused.push({ callback: this.newCallback(), isVerified: true });
      while (leg.refused.length > 0) await this.retry(leg, leg.evictedAt > 0 ? leg.owner : this.anyInstance());
    }
    await eventually(() => this.waiting.map(({ id }) => id), [], soon).catch(() =>
      this.violation(`${this.waiting.map(({ id }) => id).join()} never settled`),
    );
    for (const { name, process } of this.cluster.living) {
      const state = await process.call('state', {});
      if (state?.pending !== 0) this.violation(`${state?.pending} legs are pending at ${name}`);
    }
  }
}

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
    const owner = scenario.anyInstance();
    await scenario.register(owner, random.between(3, 6));
    await scenario.register(scenario.anyInstance());
    const isLoss = misfortune.startsWith('loss');
    const mayNotRead = cluster.mayNot(owner, '-get');
    const isAway = cluster.isCutOff(owner);
    // A new connection is needed where the wake-up must not reach the owner.
    const away =
      misfortune === 'no right to read' || isLoss
        ? isAway
        : random.oneOf([isAway, mayNotRead, cluster.getsNoReplies(owner)]);
    const others = () => cluster.living.filter((one) => one !== owner);
    const offerElsewhere = () => {
      for (const leg of scenario.waiting)
        if (leg.owner === owner && random.oneIn(2))
          scenario.alongside(scenario.offer(leg, random.oneOf(others()), !random.oneIn(4)));
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
      { fault: cluster.mayNot(one, '-set'), affected: [one] },
    ]),
  hasNoChannels: ({ cluster }: Scenario, one: Instance): ReportedFault => ({
    fault: cluster.mayNot(one, 'resetchannels'),
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

/** A fault that has to be reported, with operations before, during and after it. */
const reported =
  (kind: keyof typeof reportedFaults): Round =>
  async (scenario) => {
    const { random, cluster } = scenario;
    for (const instance of cluster.living) await scenario.register(instance, random.between(1, 3));
    await offerSome(scenario);
    const one = scenario.anyInstance();
    const { fault, affected } = reportedFaults[kind](scenario, one);
    if (random.oneIn(2)) offerMeanwhile(scenario);
    await fault.begin();
    if (random.oneIn(2)) offerMeanwhile(scenario);
    for (const instance of affected) scenario.alongside(scenario.register(instance));
    await scenario.reported(affected, async () => {
      const until = performance.now() + random.between(1000, 1500);
      while (performance.now() < until) {
        await oneStep(scenario, plainSteps);
        await pass(random.between(0, 80));
      }
    });
    if (random.oneIn(2)) offerMeanwhile(scenario);
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
  let isOver = false;
  const measured = (async () => {
    while (!isOver) {
      const from = performance.now();
      await cluster.look.ping();
      slowest = Math.max(slowest, performance.now() - from);
      await pass(5);
    }
  })();
  await during();
  isOver = true;
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
    const rights = (['-get', '-set', '-evalsha', '-publish', '-subscribe', 'resetchannels'] as const).map((rule) =>
      cluster.mayNot(one, rule),
    );
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
    apart('no right to read'),
    ...(isSlowToSettle ? [apart('loss'), apart('loss, with a new instance')] : []),
    reported('refusesWrites'),
    reported('hasNoChannels'),
    reported('cannotBeReached'),
    busyLoops,
    ...(random.oneIn(3) ? [random.oneOf([deadConnection, longPause])] : []),
  ]);

it.skipIf(!hasRedis)(
  'whatever fails in whichever order, acknowledged callbacks are delivered once, legs settle, and problems are reported',
  async (test) => {
    const log: string[] = [];
    const scenario = await Scenario.start(test, log);
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
