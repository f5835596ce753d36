import { setTimeout as pause } from 'node:timers/promises';
import { faultNames } from './fault.ts';
import { type Outside, partNames } from './outside.ts';

/** Each part of the outside world with each fault. */
const cases = faultNames.flatMap((fault) => partNames.map((name) => ({ name, fault })));

/** Faults that come and go, two parts at a time, until every part has had every fault, and then again. */
export const epidemic = (outside: Outside) => {
  const had = new Set<string>();
  let turn = 0;
  const fallIll = (nth: number) => {
    const { name, fault } = cases[nth % cases.length]!;
    had.add(`${name} ${fault}`);
    return outside.makeIll(name, fault);
  };
  return {
    cases: cases.length,
    get had() {
      return had.size;
    },
    /** For so long, a spell of each being as long. */
    rage: async (forMs: number, spellMs: number): Promise<void> => {
      for (const until = performance.now() + forMs; performance.now() < until; turn++) {
        // Half the list apart, which is never the same part.
        const cures = [await fallIll(turn), await fallIll(turn + Math.floor(cases.length / 2))];
        await pause(Math.max(0, Math.min(spellMs, until - performance.now())));
        for (const cure of cures) await cure();
      }
    },
  };
};
