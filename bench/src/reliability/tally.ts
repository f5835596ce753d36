import { machineTime } from '../machine-time.ts';
import { tell } from './run.ts';
import type { Stall } from './stalls.ts';
import type { Done } from './traffic.ts';

const samplesTold = 20;

/** What came of everything, by kind of errand. */
export class Tally {
  readonly #kinds = new Map<string, Map<string, number>>();
  readonly unexplained: Done[] = [];
  answers = 0;

  readonly add = (done: Done): void => {
    this.answers++;
    const seen = this.#kinds.get(done.title) ?? new Map<string, number>();
    this.#kinds.set(done.title, seen);
    seen.set(done.seen, (seen.get(done.seen) ?? 0) + 1);
    if (done.isExplained) return;
    this.unexplained.push(done);
    if (this.unexplained.length <= samplesTold) tell(`UNEXPLAINED: ${JSON.stringify(done)}`);
  };

  /** Those that are explained after all by a part of the test itself that stood still then, and those that are not. */
  judge(stalls: readonly Stall[]): { readonly stalled: readonly Done[]; readonly unexplained: readonly Done[] } {
    const offset = machineTime() - performance.now();
    const isStalled = ({ during }: Done) =>
      stalls.some(({ from, to }) => from <= during.to + offset && to >= during.from + offset);
    return {
      stalled: this.unexplained.filter(isStalled),
      unexplained: this.unexplained.filter((done) => !isStalled(done)),
    };
  }

  /** By kind, the most frequent first. */
  get kinds(): readonly { readonly title: string; readonly seen: readonly (readonly [string, number])[] }[] {
    return [...this.#kinds]
      .map(([title, seen]) => ({ title, seen: [...seen].toSorted(([, one], [, other]) => other - one) }))
      .toSorted((one, other) => one.title.localeCompare(other.title));
  }
}
