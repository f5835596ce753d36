import { type FaultyServer, startFaultyServer } from '../faults.ts';
import { type Intent, type Tag, parseJson } from './envelope.ts';
import { routesListener, json } from './routes.ts';

/** Adds tags about the customer to an intent. */
export const startMhEnrichment = ({ port = 0 }: { readonly port?: number } = {}): Promise<FaultyServer> =>
  startFaultyServer(
    routesListener({
      'GET /health': () => json({ status: 'ok' }),
      'POST /enrich': (bytes) => {
        const input = parseJson(bytes) as { readonly intent?: Intent; readonly user?: unknown } | null | undefined;
        const intent = input?.intent;
        if (typeof intent !== 'object' || intent === null) return json({ error: 'intent is required' }, 400);
        const known = Array.isArray(intent.tags) ? intent.tags : [];
        return json({ intent: { ...intent, tags: [...known, customerTag(input?.user !== undefined)] } });
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
