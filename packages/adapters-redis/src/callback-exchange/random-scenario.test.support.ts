import type { TestContext } from 'vitest';
import { eventually } from './exchange.test.support.ts';
import type { Replies } from './instance-process.test.support.ts';
import { Cluster, type Instance, pass, Random } from './random-cluster.test.support.ts';

const ttlMs = 120_000;

/** A leg, and what became of it. */
export interface Leg {
  readonly id: string;
  readonly owner: Instance;
  readonly isVerifiedOnly: boolean;
  /** Whether Redis has known of it, and the owner has had it registered since. */
  isRegistered: boolean;
  /** Whether its release has begun, and whether it is done. */
  isReleasing: boolean;
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
export class Scenario {
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

  static async start(test: TestContext, seed: number, log: string[]): Promise<Scenario> {
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
      ({ owner, isReleasing, delivered }) => owner.process.isAlive && !isReleasing && delivered.length === 0,
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

  /** Starts a new instance in place of this one. */
  async replace(instance: Instance): Promise<Instance> {
    await this.cluster.kill(instance);
    const fresh = await this.cluster.launch();
    await this.healthy();
    return fresh;
  }

  /** Lets something go on while further steps are made. */
  alongside(task: Promise<unknown>): void {
    const settled = task
      .catch((error: unknown) => this.violation(String(error)))
      .finally(() => this.#underway.delete(settled));
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
      isReleasing: false,
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
    leg.isReleasing = true;
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
    const isWaiting = owner.process.isAlive && !leg.isReleasing && leg.delivered.length === 0;
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

  async #retryAll(leg: Leg, at: () => Instance): Promise<void> {
    for (let tries = 0; leg.refused.length > 0; tries++) {
      if (tries === 500) return this.violation(`the callbacks of ${leg.id} are refused again and again`);
      await this.retry(leg, at());
      await pass(1);
    }
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
    return states.map((state) => (state ? state.degradedReason : 'is gone'));
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
    const fault = { isOver: false };
    const watched = (async () => {
      for (let names = await silent(); !fault.isOver; names = await silent()) {
        if (names.length > 0) return this.violation(`the problem is no longer reported by ${names.join()}`);
        await pass(10);
      }
    })();
    await during();
    fault.isOver = true;
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
      await this.#retryAll(leg, () => this.anyInstance());
      leg.refused.push({ callback: this.newCallback(), isVerified: true });
      await this.#retryAll(leg, () => (leg.evictedAt > 0 ? leg.owner : this.anyInstance()));
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
