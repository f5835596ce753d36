import type { Interval } from '../../machine-time.ts';
import { type Disturbance, type FaultHistory, overlapping } from '../faults/fault-history.ts';
import { serviceLimits } from '../limits.ts';

/** The outcomes that the contract allows, given the faults that may have been active and those that certainly were. */
export type Expectation = (during: Interval, history: FaultHistory) => readonly string[];

type Kind = 'json' | 'pdf';

/** What a fault leads to (contract, section 3). Without an outcome: the usual one. */
interface Consequence {
  readonly json?: string;
  /** Outcomes of a PDF, where they differ from those of JSON. */
  readonly pdf?: readonly string[];
  /** By default, every failure counts for the circuit breaker. */
  readonly opensBreaker?: false;
}

const failure = (reason: string) => `502 upstream-failure ${reason}`;

const refused: Consequence = { json: failure('unreachable') };
// A download may be cancelled before the service closes the connection.
const connectionLost: Consequence = { ...refused, pdf: [failure('unreachable'), 'connection closed', 'cancelled'] };

const consequences: Readonly<Record<Disturbance, Consequence>> = {
  refused,
  reset: refused,
  'status 500': { json: failure('status') },
  'status 401': { json: failure('status'), opensBreaker: false },
  slow: { opensBreaker: false },
  silent: { json: failure('timeout') },
  'bad JSON': { json: failure('malformed') },
  HTML: { json: failure('malformed') },
  truncated: connectionLost,
  redirect: { json: failure('status') },
  'too large': { json: failure('too-large'), pdf: [failure('malformed')] },
  restarted: connectionLost,
};

type OutcomesOf = (consequence: Consequence) => string | readonly string[] | undefined;

/** For operations on `target`, which end with `usual` while it works and while a fault has no consequence. */
const affectedBy =
  (target: string, usual: string, outcomesOf: OutcomesOf): Expectation =>
  (during, history) => {
    const windows = overlapping(history, during).filter((window) => window.target === target);
    const isCertain = windows.some(({ certainFrom: from, certainTo: to }) => from <= during.from && to >= during.to);
    return [...(isCertain ? [] : [usual]), ...windows.flatMap(({ fault }) => outcomesOf(consequences[fault]) ?? usual)];
  };

/** How long after a fault the breaker may still be open: the deadline of the last call, then the pause of the breaker. */
const breakerEchoMs = serviceLimits.timeoutMs + serviceLimits.breakForMs + 500;

/** For operations on one downstream service, which end with `usual` while it works. */
export const serviceOutcomes = (service: string, usual: string, hasBreaker: boolean, kind: Kind): Expectation => {
  const ofService = affectedBy(service, usual, (consequence) => consequence[kind] ?? consequence.json);
  return (during, history) => {
    const recent = overlapping(history, during, breakerEchoMs).filter(({ target }) => target === service);
    const mayBeOpen = hasBreaker && recent.some(({ fault }) => consequences[fault].opensBreaker ?? true);
    return [...ofService(during, history), ...(mayBeOpen ? [failure('circuit-open')] : [])];
  };
};

const legOutcome = (leg: string, usual: string) => affectedBy(leg, usual, ({ json }) => json && 'bap_unreachable');

/** For searches, whose outcome names both legs; each leg has its usual outcome while its network works. */
export const legOutcomes = (moaUsual: string, mhUsual: string): Expectation => {
  const [moa, mh] = [legOutcome('moa', moaUsual), legOutcome('mh', mhUsual)];
  return (...when) => moa(...when).flatMap((one) => mh(...when).map((other) => `${one}, ${other}`));
};

/** Whether Portico was restarting at this time. */
export const isRestarting = (at: number, history: FaultHistory): boolean =>
  overlapping(history, { from: at, to: at }).some(({ target }) => target === 'portico');

/** Outcomes that a restart explains. Before the keys are loaded, requests fail with the identity provider's name. */
export const restartOutcome =
  /^(?:503(?: overloaded)?|connection refused|connection closed|502 upstream-failure \S+ blames identity)$/;
