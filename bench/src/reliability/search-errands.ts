import { randomUUID } from 'node:crypto';
import { type Answer, ask, inWords, type Question } from './client.ts';
import { always, type Errand, type Errands } from './errand.ts';
import { consequenceOf } from './fault.ts';
import type { History, Span } from './history.ts';
import { leave } from './member-errands.ts';
import { type Manner, manners } from './seller.ts';

const legs = ['moa', 'mh'] as const;
const mannerNames = Object.keys(manners) as Manner[];

/** Every manner of the one seller meets every manner of the other. */
const pairOf = (nth: number): readonly [Manner, Manner] => {
  const count = mannerNames.length;
  return [mannerNames[nth % count]!, mannerNames[(nth + Math.floor(nth / count)) % count]!];
};

const searchFor = (query: string): Question => ({
  method: 'POST',
  path: '/api/search',
  body: JSON.stringify({ persona: 'member', query, user_id: 'bench' }),
});

const eventStream = (query: string): Question => ({
  ...searchFor(query),
  headers: { accept: 'text/event-stream' },
});

interface SearchAnswer {
  readonly errors?: Readonly<Record<string, { readonly kind: string }>>;
  readonly traces: Readonly<Record<string, { readonly transaction_id: string }>>;
  readonly [leg: string]: unknown;
}

interface Callback {
  readonly context: { readonly transaction_id: string };
  readonly message: { readonly catalog: { readonly query: string } };
}

/** How both legs ended: `delivered, timeout`. A callback that belongs to another search is not delivered. */
const legsOf = (text: string, query: string): string => {
  const answer = JSON.parse(text) as SearchAnswer;
  return legs
    .map((leg) => {
      const callback = answer[leg] as Callback | null;
      if (callback === null) return answer.errors?.[leg]?.kind ?? 'neither result nor error';
      const isOwn =
        callback.context.transaction_id === answer.traces[leg]?.transaction_id &&
        callback.message.catalog.query === query;
      return isOwn ? 'delivered' : "somebody else's";
    })
    .join(', ');
};

const searched = (answer: Answer | string, query: string): string => {
  if (typeof answer === 'string' || answer.status !== 200) return inWords(answer);
  if (answer.type.startsWith('application/json')) return legsOf(answer.text, query);
  const [, last] = /event: done\ndata: (.+)\n\n$/.exec(answer.text) ?? [];
  return last === undefined ? 'a stream without its end' : legsOf(last, query);
};

const explainsLegs =
  (pair: readonly [Manner, Manner]): Errand['explains'] =>
  (seen: string, during: Span, history: History) => {
    const outcomes = legs.map((leg, nth) =>
      history.outcomes(leg, during, manners[pair[nth]!], (trouble) => {
        const { leg: outcome } = consequenceOf(trouble);
        return outcome === 'as-usual' ? [] : [outcome];
      }),
    );
    const ended = seen.split(', ');
    return ended.length === legs.length && outcomes.every((some, nth) => some.has(ended[nth]!));
  };

const search =
  (title: string, questionOf: (query: string) => Question): Errands =>
  (nth) => {
    const pair = pairOf(nth);
    const query = `moa=${pair[0]}, mh=${pair[1]}, ${randomUUID()}`;
    return {
      title,
      run: async (client) => searched(await ask(client, questionOf(query)), query),
      explains: explainsLegs(pair),
    };
  };

/** Given up while its legs are pending, unless both have failed already. */
const leftSearch: Errands = (nth) => {
  const asUsual = explainsLegs(['never', 'never']);
  const query = 'moa=never, mh=never';
  return {
    title: 'a search that is left midway',
    run: async (client) =>
      searched(await ask(client, searchFor(query), AbortSignal.timeout(20 + (nth % 5) * 20)), query),
    explains: (seen, during, history) => seen === 'left midway' || asUsual(seen, during, history),
  };
};

const leftStream: Errands = (nth) => {
  const [moa, mh] = pairOf(nth);
  return {
    title: 'a stream of a search that is left midway',
    run: (client) => leave(client, eventStream(`moa=${moa}, mh=${mh}, ${randomUUID()}`)),
    explains: always('left midway'),
  };
};

const strangersCallback: Errands = () => ({
  title: 'a callback that nobody waits for',
  run: async (client) => {
    const context = { transaction_id: randomUUID(), action: 'on_search', bpp_id: 'stranger.example' };
    const body = JSON.stringify({ context, message: { catalog: {} } });
    return inWords(await ask(client, { method: 'POST', path: '/on_search', body }));
  },
  explains: always('200'),
});

const probePaths = ['/health', '/livez', '/api/legs', '/readyz'] as const;

const probe: Errands = (nth) => ({
  title: 'what probes ask',
  run: async (client) => inWords(await ask(client, { path: probePaths[nth % probePaths.length]! })),
  explains: always('200'),
});

export const searchErrands = {
  search: search('a search', searchFor),
  stream: search('a search by event stream', eventStream),
  leftSearch,
  leftStream,
  strangersCallback,
  probe,
};
