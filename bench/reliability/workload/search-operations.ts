import { randomUUID } from 'node:crypto';
import type { LegErrorJson, LegTrace } from '@portico/core';
import { type Behaviour, behaviours, callbackOf } from '../faults/seller-stub.ts';
import { type Expectation, legOutcomes } from '../oracle/expectations.ts';
import type { RequestOptions } from '../client.ts';
import { type Operation, operation, type WeightedKind } from './operation.ts';

interface SearchResult extends Readonly<Record<'moa' | 'mh', unknown>> {
  readonly errors?: Readonly<Record<string, LegErrorJson>>;
  readonly traces: Readonly<Record<string, LegTrace>>;
}

/** The outcome of both legs, such as `delivered, timeout`. The callback of another search does not count as delivered. */
const describeLegs = (json: string, query: string): string => {
  const { errors, traces, ...callbacks } = JSON.parse(json) as SearchResult;
  const outcomes = (['moa', 'mh'] as const).map((leg) => {
    if (callbacks[leg] === null) return errors?.[leg]?.kind ?? 'neither result nor error';
    const own = callbackOf(leg, traces[leg]?.transaction_id ?? '', query);
    return JSON.stringify(callbacks[leg]) === own ? 'delivered' : 'callback of another search';
  });
  return outcomes.join(', ');
};

type Pair = readonly [moa: Behaviour, mh: Behaviour];

const legsOf = ([moa, mh]: Pair): Expectation => legOutcomes(behaviours[moa], behaviours[mh]);

const search = (title: string, pair: Pair, options: RequestOptions, allowed = legsOf(pair)): Operation => {
  const query = `moa=${pair[0]}, mh=${pair[1]}, ${randomUUID()}`;
  return operation(title, 'POST /api/search', allowed, {
    ...options,
    body: JSON.stringify({ persona: 'member', query, user_id: 'bench' }),
    describe: ({ status, type, text }) => {
      if (status !== 200) return String(status);
      if (type.startsWith('application/json')) return describeLegs(text, query);
      const [, last] = /event: done\ndata: (.+)\n\n$/.exec(text) ?? [];
      return last === undefined ? 'stream without its last event' : describeLegs(last, query);
    },
  });
};

const behaviourNames = Object.keys(behaviours) as Behaviour[];

/** Combines every behaviour of the first seller with every behaviour of the second. */
const pairOf = (nth: number): Pair => {
  const count = behaviourNames.length;
  return [behaviourNames[nth % count]!, behaviourNames[(nth + Math.floor(nth / count)) % count]!];
};

const headers = { accept: 'text/event-stream' };
const probeRoutes = ['GET /health', 'GET /livez', 'GET /api/legs', 'GET /readyz'];

const unknownCallback = (): Operation => {
  const body = callbackOf('moa', randomUUID(), 'unknown');
  return operation('callback of an unknown search', 'POST /on_search', '200', { body });
};

const cancelledSearch = (nth: number): Operation => {
  const pair: Pair = ['never', 'never'];
  const signal = AbortSignal.timeout(20 + (nth % 5) * 20);
  // Cancelled while its legs are pending, unless both have failed before.
  return search('cancelled search', pair, { signal }, (...when) => ['cancelled', ...legsOf(pair)(...when)]);
};

export const searchOperations: readonly WeightedKind[] = [
  [(nth) => search('search', pairOf(nth), {}), 14],
  [(nth) => search('search by event stream', pairOf(nth), { headers }), 4],
  [cancelledSearch, 2],
  [(nth) => search('cancelled event stream', pairOf(nth), { headers, cancelEarly: true }, () => ['cancelled']), 3],
  [unknownCallback, 3],
  [(nth) => operation('probe', probeRoutes[nth % probeRoutes.length]!, '200'), 2],
];
