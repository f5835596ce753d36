import type { Pool } from 'undici';
import { openClient } from './client.ts';
import type { Errand } from './errand.ts';
import type { History, Span } from './history.ts';

/** An errand that has ended. */
export interface Done {
  readonly title: string;
  readonly service: string | undefined;
  readonly seen: string;
  readonly isExplained: boolean;
  /** Of an answer that is not explained: what trouble there was at the time. */
  readonly troubles?: readonly string[];
  /** From when it should have been sent, so that waiting for a server that is stuck counts. */
  readonly tookMs: number;
  /** When it was sent, and when it had ended. */
  readonly during: Span;
}

export interface TrafficSettings {
  readonly url: string;
  readonly perSecond: number;
  readonly next: () => Errand;
  readonly history: History;
  /** Whether this is what becomes of a request while Portico is away. */
  readonly isAway?: (seen: string, during: Span) => boolean;
  readonly onDone: (done: Done) => void;
}

/** Load by the clock: an errand is sent when it is its time, however the ones before are doing. */
export class Traffic {
  readonly #settings: TrafficSettings;
  readonly #underWay = new Set<Promise<void>>();
  #client: Pool | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: TrafficSettings) {
    this.#settings = settings;
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  start(): void {
    const { url, perSecond } = this.#settings;
    this.#client = openClient(url);
    const startedAt = performance.now();
    let sent = 0;
    this.#timer = setInterval(() => {
      const now = performance.now();
      for (; ((now - startedAt) * perSecond) / 1000 >= sent; sent++) this.#send(startedAt + (sent * 1000) / perSecond);
    }, 1);
  }

  /** Sends no more, waits for what is under way, and closes every connection. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
    await this.#client?.destroy();
  }

  #send(dueAt: number): void {
    const done = this.#run(this.#settings.next(), dueAt).finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  async #run(errand: Errand, dueAt: number): Promise<void> {
    const { history, isAway, onDone } = this.#settings;
    const from = performance.now();
    const seen = await errand.run(this.#client!);
    const during = { from, to: performance.now() };
    const isExplained = errand.explains(seen, during, history) || isAway?.(seen, during) === true;
    const { title, service } = errand;
    const done = { title, service, seen, isExplained, during, tookMs: during.to - dueAt };
    onDone(isExplained ? done : { ...done, troubles: history.near(during, 5000) });
  }
}
