import { type FaultyServer, startFaultyServer } from '../faults.ts';
import { type Intent, type Tag, parseJson } from './envelope.ts';
import { answering, json } from './post.ts';

/** Knows the customer: answers an intent with what a seller may care about, as tags. */
export const startMhEnrichment = ({ port = 0 }: { readonly port?: number } = {}): Promise<FaultyServer> =>
  startFaultyServer(
    answering({
      'GET /health': () => json({ status: 'ok' }),
      'POST /enrich': (bytes) => {
        const asked = parseJson(bytes) as { readonly intent?: Intent; readonly user?: unknown } | null | undefined;
        const intent = asked?.intent;
        if (typeof intent !== 'object' || intent === null) return json({ error: 'an intent is needed' }, 400);
        const known = Array.isArray(intent.tags) ? intent.tags : [];
        return json({ intent: { ...intent, tags: [...known, customerTag(asked?.user !== undefined)] } });
      },
    }),
    { port },
  );

const customerTag = (known: boolean): Tag => ({
  descriptor: { code: 'customer-profile' },
  list: [
    { descriptor: { code: 'segment' }, value: known ? 'returning' : 'guest' },
    { descriptor: { code: 'language' }, value: 'en' },
  ],
});
