import type { CollectLimits } from '@portico/core';
import type { TestContext } from 'vitest';
import { eventually } from './exchange.test.support.ts';
import type { Replies } from './instance-process.test.support.ts';
import { Cluster, type Instance, pass, Random } from './random-cluster.test.support.ts';

const ttlMs = 120_000;

/** A leg and its history. */
export interface Leg {
  readonly id: string;
  readonly owner: Instance;
  readonly isVerifiedOnly: boolean;
  /** Undefined for a leg that its first callback settles. Others wait until they are released. */
  readonly collects: CollectLimits | undefined;
  /** Whether its registration has reached Redis. */
  isRegistered: boolean;
  /** Whether its release has started, and whether it is done. */
  isReleasing: boolean;
  isReleased: boolean;
  readonly delivered: string[];
  /** Every offered callback, and whether it was verified. */
  readonly offered: Map<string, boolean>;
  readonly acknowledged: { readonly callback: string; readonly by: Instance; readonly at: number }[];
  /** The refused callbacks, which have to be sent again. */
  readonly refused: { readonly callback: string; readonly isVerified: boolean }[];
  /** When Redis evicted an unread callback; -Infinity if never. */
  evictedAt: number;
}

/** How long an instance buffers stored callbacks while Redis is healthy (2000), minus a margin. */
const readByMs = 1900;

/** More than a run offers: the tests of limits need an instance without faults. */
const limits: CollectLimits = { maxCallbacks: 10_000, maxBytes: 1024 ** 3 };

const isWaiting = ({ owner, isReleasing, collects, delivered }: Leg): boolean =>
  owner.process.isAlive && !isReleasing && (collects !== undefined || delivered.length === 0);

/** Runs operations, records the history of each leg, and collects violations. */
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
      settlingMs: isSlowToSettle ? 60_000 : 5000,
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

  /** The legs that wait for a callback. */
  get waiting(): readonly Leg[] {
    return [...this.legs.values()].filter(isWaiting);
  }

  anyInstance(): Instance {
    return this.random.oneOf(this.cluster.running);
  }

  /** Returns another instance in most cases, because most faults affect callbacks on their way between instances. */
  usuallyAnotherThan(instance: Instance): Instance {
    const others = this.cluster.running.filter((one) => one !== instance);
    return this.random.oneIn(8) ? instance : this.random.oneOf(others);
  }

  /** Kills an instance and starts a new one. */
  async replace(instance: Instance): Promise<Instance> {
    await this.cluster.kill(instance);
    const newInstance = await this.cluster.launch();
    await this.waitUntilHealthy();
    return newInstance;
  }

  /** Runs a task concurrently with the next steps. */
  inBackground(task: Promise<unknown>): void {
    const tracked = task
      .catch((error: unknown) => this.violation(String(error)))
      .finally(() => this.#underway.delete(tracked));
    this.#underway.add(tracked);
  }

  async waitForBackground(): Promise<void> {
    while (this.#underway.size > 0) await Promise.all(this.#underway);
  }

  async register(owner: Instance, count = 1): Promise<readonly Leg[]> {
    return Promise.all(Array.from({ length: count }, () => this.#registerOne(owner, this.random.oneIn(3))));
  }

  async #registerOne(owner: Instance, isVerifiedOnly: boolean): Promise<Leg> {
    const id = `leg-${this.legs.size}`;
    const collects = this.random.oneIn(2) ? limits : undefined;
    const leg: Leg = {
      id,
      owner,
      isVerifiedOnly,
      collects,
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
    leg.isRegistered = (await owner.process.call('expect', { id, isVerifiedOnly, collects, ttlMs })) === true;
    this.note(
      `${id} waits at ${owner.name}${isVerifiedOnly ? ', verified only' : ''}${collects ? ', collecting' : ''}${leg.isRegistered ? '' : ', without Redis'}`,
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
    if (outcome === 'delivered' || outcome === 'duplicate') {
      if (isWaiting(leg)) leg.acknowledged.push({ callback, by: at, at: performance.now() });
      if (outcome === 'delivered' && leg.isVerifiedOnly && !isVerified)
        this.violation(`${id} accepts only verified callbacks, but accepted an unverified one`);
    } else if (outcome === 'unverified') {
      if (isVerified || !leg.isVerifiedOnly) this.violation(`${id} refused a callback as unverified`);
    } else if (outcome === 'overloaded' || outcome === undefined) leg.refused.push({ callback, isVerified });
    else if (isWaiting(leg) && (wasRegistered || at === owner))
      this.violation(`${id} waits, but its callback was ${outcome}`);
    return outcome;
  }

  /** Offers a callback again that was offered before. */
  async repeat(leg: Leg, at: Instance): Promise<void> {
    const [callback, isVerified] = this.random.oneOf([...leg.offered]) ?? [];
    if (callback !== undefined) await this.offer(leg, at, isVerified, callback);
  }

  /** Sends a refused callback again, like its seller. */
  async retry(leg: Leg, at: Instance): Promise<void> {
    const refused = leg.refused.shift();
    if (refused) await this.offer(leg, at, refused.isVerified, refused.callback);
  }

  async #retryRefused(leg: Leg, at: () => Instance): Promise<void> {
    for (let tries = 0; leg.refused.length > 0; tries++) {
      if (tries === 500) return this.violation(`the callbacks of ${leg.id} are refused permanently`);
      await this.retry(leg, at());
      await pass(1);
    }
  }

  #onDelivered(owner: string, id: string, callback: string): void {
    const leg = this.legs.get(id)!;
    this.note(`${id} is delivered at ${owner}`);
    if (leg.isReleased) this.violation(`${id} was delivered after its release`);
    if (leg.collects ? leg.delivered.includes(callback) : leg.delivered.length > 0)
      this.violation(`${id} was delivered twice`);
    leg.delivered.push(callback);
    const isVerified = leg.offered.get(callback);
    if (isVerified === undefined) this.violation(`${id} received a callback of another leg`);
    if (leg.isVerifiedOnly && !isVerified) this.violation(`${id} was delivered an unverified callback`);
  }

  /** Whether acknowledged callbacks of a leg were lost in a way that the exchange does not cover. */
  #isExcused({ owner, evictedAt }: Leg, acknowledged: Leg['acknowledged']): boolean {
    const { lossesAt } = this.cluster;
    const isLost = (by: Instance, at: number) =>
      at < (lossesAt.at(-1) ?? -Infinity) &&
      (!by.process.isAlive || lossesAt.some((lossAt) => lossAt > at && lossAt - at > readByMs));
    const isEvicted = (by: Instance, at: number) => at < evictedAt || (evictedAt > 0 && by !== owner);
    return acknowledged.every(({ by, at }) => isLost(by, at) || isEvicted(by, at));
  }

  /** The acknowledged callbacks of a waiting leg that have to be delivered and are not. */
  #missing(leg: Leg): readonly string[] {
    if (!isWaiting(leg)) return [];
    const { acknowledged, collects, delivered } = leg;
    // Any callback settles a leg that does not collect.
    const groups = collects ? Map.groupBy(acknowledged, ({ callback }) => callback) : new Map([['any', acknowledged]]);
    return [...groups].flatMap(([callback, those]) =>
      delivered.includes(callback) || this.#isExcused(leg, those) ? [] : [`${leg.id} ${callback.slice(0, 20)}`],
    );
  }

  async #expectDelivered(): Promise<void> {
    const missing = () => this.waiting.flatMap((leg) => this.#missing(leg));
    await eventually(missing, []).catch(() => this.violation(`acknowledged but not delivered: ${missing().join()}`));
  }

  /** Returns the degraded reason of each instance: undefined when it is healthy. */
  async problems(instances = this.cluster.running): Promise<readonly (string | undefined)[]> {
    const states = await Promise.all(instances.map(({ process }) => process.call('state', {})));
    return states.map((state) => (state ? state.degradedReason : 'has ended'));
  }

  /** Waits until no instance reports a degraded reason. */
  async waitUntilHealthy(instances = this.cluster.running): Promise<void> {
    await eventually(async () => (await this.problems(instances)).filter((problem) => problem !== undefined), []).catch(
      async () => this.violation(`problems are still reported: ${(await this.problems(instances)).join()}`),
    );
    this.note(`healthy: ${instances.map(({ name }) => name).join()}`);
  }

  /**
   * Checks that each of these instances reports a degraded reason within 10 s, at first after its start, and until `during`
   * has finished.
   */
  async expectReported(instances: readonly Instance[], during: () => Promise<unknown>): Promise<void> {
    const unreported = async () => {
      const problems = await this.problems(instances);
      return instances.filter((_, nth) => problems[nth] === undefined).map(({ name }) => name);
    };
    const soon = { timeout: 10_000, interval: 10 };
    // An instance replies once it has started, which can take longer on a busy machine.
    await this.problems(instances);
    await eventually(unreported, [], soon).catch(async () =>
      this.violation(`no problem is reported by ${(await unreported()).join()}`),
    );
    const fault = { isOver: false };
    const watched = (async () => {
      for (let names = await unreported(); !fault.isOver; names = await unreported()) {
        if (names.length > 0) return this.violation(`the problem is no longer reported by ${names.join()}`);
        await pass(10);
      }
    })();
    await during();
    fault.isOver = true;
    await watched;
  }

  /** Waits after the faults until all instances are healthy and every waiting leg is registered in Redis. */
  async waitUntilRecovered(): Promise<void> {
    await this.waitForBackground();
    await this.waitUntilHealthy();
    const lost = async () => {
      const ids = this.waiting.map(({ id }) => id);
      const found = await Promise.all(ids.map((id) => this.cluster.observer.exists(`portico:{${id}}:leg`)));
      return ids.filter((_, nth) => found[nth] === 0);
    };
    await eventually(lost, []).catch(async () => this.violation(`${(await lost()).join()} is not registered again`));
    for (const leg of this.waiting) leg.isRegistered = true;
  }

  /** Settles every leg after the faults. */
  async settleAllLegs(): Promise<void> {
    await this.#expectDelivered();
    // Sends refused callbacks again, and a new callback to every leg that still waits.
    for (const leg of this.waiting) {
      await this.#retryRefused(leg, () => this.anyInstance());
      leg.refused.push({ callback: this.newCallback(), isVerified: true });
      await this.#retryRefused(leg, () => (leg.evictedAt > 0 ? leg.owner : this.anyInstance()));
    }
    await this.#expectDelivered();
    for (const leg of this.waiting) if (leg.collects) await this.release(leg);
    await eventually(() => this.waiting.map(({ id }) => id), []).catch(() =>
      this.violation(`${this.waiting.map(({ id }) => id).join()} never settled`),
    );
    for (const { name, process } of this.cluster.running) {
      const state = await process.call('state', {});
      if (state?.pending !== 0) this.violation(`${state?.pending} legs are pending at ${name}`);
    }
  }
}
