import { randomUUID } from 'node:crypto';
import { type Behaviour, behaviours } from '../faults/seller-stub.ts';
import { always, type Expectation, legOutcomes } from '../oracle/expectations.ts';
import { describe, type RequestOptions, type Response, send } from './client.ts';
import { type OperationKind, unaffected } from './operation.ts';

type Pair = readonly [moa: Behaviour, mh: Behaviour];

const behaviourNames = Object.keys(behaviours) as Behaviour[];

/** Combines every behaviour of the first seller with every behaviour of the second. */
const pairOf = (nth: number): Pair => {
  const count = behaviourNames.length;
  return [behaviourNames[nth % count]!, behaviourNames[(nth + Math.floor(nth / count)) % count]!];
};

interface Trace {
  readonly transaction_id: string;
}

type Callback = { readonly context: Trace; readonly message: { readonly catalog: { readonly query: string } } } | null;

type SearchResult = Readonly<Record<'moa' | 'mh', Callback>> & {
  readonly errors?: Readonly<Record<string, { readonly kind: string }>>;
  readonly traces: Readonly<Record<string, Trace>>;
};

/** The outcome of both legs, such as `delivered, timeout`. The callback of another search does not count as delivered. */
const describeLegs = (json: string, query: string): string => {
  const result = JSON.parse(json) as SearchResult;
  const outcomes = (['moa', 'mh'] as const).map((leg) => {
    const callback = result[leg];
    if (callback === null) return result.errors?.[leg]?.kind ?? 'neither result nor error';
    const { context, message } = callback;
    const isOwn = context.transaction_id === result.traces[leg]?.transaction_id && message.catalog.query === query;
    return isOwn ? 'delivered' : 'callback of another search';
  });
  return outcomes.join(', ');
};

const describeSearch = (response: Response | string, query: string): string => {
  if (typeof response === 'string' || response.status !== 200) return describe(response);
  if (response.type.startsWith('application/json')) return describeLegs(response.text, query);
  const [, last] = /event: done\ndata: (.+)\n\n$/.exec(response.text) ?? [];
  return last === undefined ? 'stream without its last event' : describeLegs(last, query);
};

const legsOf = ([moa, mh]: Pair): Expectation => legOutcomes({ moa: behaviours[moa], mh: behaviours[mh] });

const search =
  (
    title: string,
    optionsFor: (nth: number) => RequestOptions,
    expect: (pair: Pair) => Expectation = legsOf,
    pairFor: (nth: number) => Pair = pairOf,
  ): OperationKind =>
  (nth) => {
    const pair = pairFor(nth);
    const query = `moa=${pair[0]}, mh=${pair[1]}, ${randomUUID()}`;
    const body = JSON.stringify({ persona: 'member', query, user_id: 'bench' });
    return {
      title,
      run: async (client) =>
        describeSearch(await send(client, 'POST /api/search', { body, ...optionsFor(nth) }), query),
      isExpected: expect(pair),
    };
  };

const headers = { accept: 'text/event-stream' };

const unknownCallback: OperationKind = () => {
  const context = { transaction_id: randomUUID(), action: 'on_search', bpp_id: 'unknown.example' };
  const body = JSON.stringify({ context, message: { catalog: {} } });
  return unaffected('callback of an unknown search', 'POST /on_search', '200', { body });
};

const probeRoutes = ['GET /health', 'GET /livez', 'GET /api/legs', 'GET /readyz'];

const probe: OperationKind = (nth) => unaffected('probe', probeRoutes[nth % probeRoutes.length]!, '200');

export const searchOperations = {
  search: search('search', () => ({})),
  stream: search('search by event stream', () => ({ headers })),
  // Cancelled while its legs are pending, unless both have failed before.
  cancelledSearch: search(
    'cancelled search',
    (nth) => ({ signal: AbortSignal.timeout(20 + (nth % 5) * 20) }),
    (pair) =>
      (outcome, ...when) =>
        outcome === 'cancelled' || legsOf(pair)(outcome, ...when),
    () => ['never', 'never'],
  ),
  cancelledStream: search(
    'cancelled event stream',
    () => ({ headers, cancelAtFirstBytes: true }),
    () => always('cancelled'),
  ),
  unknownCallback,
  probe,
};
