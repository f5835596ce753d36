import { median, quantile } from '../report.ts';
import type { Fault } from './fault.ts';
import type { PartName } from './outside.ts';
import type { Done } from './traffic.ts';

/** A stretch of the run in which one service had one fault, or (of none) all was calm; and what was sent in it. */
export class Cell {
  readonly service: PartName | undefined;
  readonly fault: Fault | undefined;
  readonly #from = performance.now();
  #to = Infinity;
  readonly #sent: Done[] = [];

  constructor(service?: PartName, fault?: Fault) {
    this.service = service;
    this.fault = fault;
  }

  end(): void {
    this.#to = performance.now();
  }

  /** If it was sent in this stretch, whenever it ended. */
  take(done: Done): void {
    if (done.during.from >= this.#from && done.during.from <= this.#to) this.#sent.push(done);
  }

  /** The slowest hundredth of what was sent to all services but this one, in milliseconds. */
  p99Beside(service: string | undefined): number {
    return quantile(
      this.#sent.filter((done) => done.service !== service).map(({ tookMs }) => tookMs),
      0.99,
    );
  }

  /** What the members of the ill service were told, the most frequent first. */
  get told(): string {
    const counts = new Map<string, number>();
    for (const { service, seen } of this.#sent)
      if (service === this.service) counts.set(seen, (counts.get(seen) ?? 0) + 1);
    return [...counts]
      .toSorted(([, one], [, other]) => other - one)
      .map(([seen, count]) => `${seen}: ${count}`)
      .join('; ');
  }
}

/** One fault of one service, once. */
export interface Attempt {
  readonly cell: Cell;
  readonly recoveredAfterMs: number;
  /** Of the other services, in milliseconds: then, and while all was calm. */
  readonly p99: number;
  readonly calmP99: number;
}

/** Tried again where the others had been slow. */
export interface Trial {
  readonly service: PartName;
  readonly fault: Fault;
  readonly attempts: readonly Attempt[];
}

/** Below this much nobody on a shared machine can tell one cause from another. */
export const floorMs = 5;

/** Of one calm stretch among all, so that a hiccup in some of them does not excuse anything. */
export const calmBeside = (service: string | undefined, calm: readonly Cell[]): number =>
  median(calm.map((cell) => cell.p99Beside(service)));

export const isAsCalm = ({ p99, calmP99 }: Attempt): boolean => p99 <= Math.max(2 * calmP99, floorMs);
