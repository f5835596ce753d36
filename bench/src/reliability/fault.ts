/** What is told of a service: of its JSON, of its PDFs, and of a seller's acknowledgement. */
interface Consequence {
  readonly json: readonly string[];
  readonly pdf?: readonly string[];
  readonly leg: 'as-usual' | 'bap_unreachable';
  /** Whether it is one of the failures that open the circuit breaker. */
  readonly opensBreaker: boolean;
}

const failed = (reason: string) => `502 upstream-failure ${reason}`;

export const circuitOpen = failed('circuit-open');

const ill = (reason: string, more: Partial<Consequence> = {}): Consequence => ({
  json: [failed(reason)],
  leg: 'bap_unreachable',
  opensBreaker: true,
  ...more,
});

/** The ways to be ill, each with what the contract (section 3) says comes of it. Nothing in `json`: all is as usual. */
const faults = {
  refused: ill('unreachable'),
  reset: ill('unreachable'),
  'status 500': ill('status'),
  'status 401': ill('status', { opensBreaker: false }),
  slow: { json: [], leg: 'as-usual', opensBreaker: false },
  silent: ill('timeout'),
  'bad JSON': ill('malformed'),
  HTML: ill('malformed'),
  truncated: ill('unreachable', { pdf: [failed('unreachable'), 'cut'] }),
  redirect: ill('status'),
  'too large': ill('too-large', { pdf: [failed('malformed')] }),
} as const satisfies Record<string, Consequence>;

export type Fault = keyof typeof faults;

export const faultNames = Object.keys(faults) as Fault[];

/** Not set from outside, but it happens: the process behind the address ended and is back. */
export type Trouble = Fault | 'restarted';

export const consequenceOf = (trouble: Trouble): Consequence =>
  trouble === 'restarted' ? ill('unreachable', { pdf: [failed('unreachable'), 'cut'] }) : faults[trouble];
