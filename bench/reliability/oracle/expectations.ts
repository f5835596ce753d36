import type { Disturbance, FaultHistory, Interval } from '../faults/fault-history.ts';
import { serviceLimits } from '../limits.ts';

/** Whether the contract allows this outcome, given the faults that may have been active and those that certainly were. */
export type Expectation = (outcome: string, during: Interval, history: FaultHistory) => boolean;

/** Whether the circuit breaker of a service can open. */
export type HasBreaker = (service: string) => boolean;

/** What a fault leads to (contract, section 3). Without a reason: the usual outcome. */
interface Consequence {
  readonly reason?: string;
  /** Outcomes of a PDF, where they differ from those of JSON. */
  readonly pdf?: readonly string[];
  /** By default, every failure counts for the circuit breaker. */
  readonly opensBreaker?: false;
}

const failure = (reason: string) => `502 upstream-failure ${reason}`;

const connectionLost: Consequence = { reason: 'unreachable', pdf: [failure('unreachable'), 'connection closed'] };

const consequences: Readonly<Record<Disturbance, Consequence>> = {
  refused: { reason: 'unreachable' },
  reset: { reason: 'unreachable' },
  'status 500': { reason: 'status' },
  'status 401': { reason: 'status', opensBreaker: false },
  slow: { opensBreaker: false },
  silent: { reason: 'timeout' },
  'bad JSON': { reason: 'malformed' },
  HTML: { reason: 'malformed' },
  truncated: connectionLost,
  redirect: { reason: 'status' },
  'too large': { reason: 'too-large', pdf: [failure('malformed')] },
  restarted: connectionLost,
};

/** How long after a fault the breaker may still be open: the deadline of the last call, then the pause of the breaker. */
const breakerEchoMs = serviceLimits.timeoutMs + serviceLimits.breakForMs + 500;

const isPossible = (
  target: string,
  [outcome, during, history]: Parameters<Expectation>,
  usual: string,
  outcomesOf: (consequence: Consequence, reason: string) => readonly string[],
): boolean => {
  const windows = history.overlapping(during).filter((window) => window.target === target);
  const isCertain = windows.some(({ certainFrom, certainTo }) => certainFrom <= during.from && certainTo >= during.to);
  const possible = windows.flatMap(({ fault }) => {
    const consequence = consequences[fault];
    return consequence.reason === undefined ? [usual] : outcomesOf(consequence, consequence.reason);
  });
  return possible.includes(outcome) || (!isCertain && outcome === usual);
};

/** For operations that no fault affects. */
export const always =
  (expected: string): Expectation =>
  (outcome) =>
    outcome === expected;

/** For operations on one downstream service, which end with `usual` while it works. */
export const serviceOutcome =
  (service: string, usual: string, hasBreaker: HasBreaker, kind: 'json' | 'pdf' = 'json'): Expectation =>
  (outcome, during, history) => {
    const opensBreaker = ({ target, fault }: { readonly target: string; readonly fault: Disturbance }) =>
      target === service && (consequences[fault].opensBreaker ?? true);
    if (outcome === failure('circuit-open'))
      return hasBreaker(service) && history.overlapping(during, breakerEchoMs).some(opensBreaker);
    return isPossible(service, [outcome, during, history], usual, ({ pdf }, reason) =>
      kind === 'pdf' && pdf ? pdf : [failure(reason)],
    );
  };

/** For searches, whose outcome names both legs; `usual` is the outcome of each leg while its network works. */
export const legOutcomes =
  (usual: Readonly<Record<string, string>>): Expectation =>
  (outcome, during, history) => {
    const [legs, outcomes] = [Object.entries(usual), outcome.split(', ')];
    return (
      outcomes.length === legs.length &&
      legs.every(([leg, usualOutcome], nth) =>
        isPossible(leg, [outcomes[nth]!, during, history], usualOutcome, () => ['bap_unreachable']),
      )
    );
  };
