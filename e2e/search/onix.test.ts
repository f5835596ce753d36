import { reservePort } from '@portico/demo/ports';
import { type SellerNetwork, startSellerNetwork, type WireProfileName } from '@portico/sandbox';
import { expect, it, onTestFinished } from 'vitest';
import { serveHere } from '../command-line/serve-here.ts';

interface SearchResult {
  readonly onix: { readonly responses: readonly object[] } | null;
  readonly errors?: { readonly onix: { readonly kind?: string; readonly detail?: string } };
  readonly traces: { readonly onix: { readonly sellers: readonly { readonly bpp_id: string }[] } };
}

/** Starts Portico behind an adapter that signs its searches and verifies its callbacks. */
const startBehindOnix = async (profile: WireProfileName, count: number) => {
  const port = await reservePort();
  const url = `http://127.0.0.1:${port}`;
  const network: SellerNetwork = await startSellerNetwork({
    profile,
    callbacks: { count },
    longestDelayMs: 20,
    onixForBuyerAt: url,
  });
  onTestFinished(network.close);
  const leg = network.leg(url);
  const values = { listen: { port }, log: { level: 'silent' }, search: { timeoutMs: 60_000, legs: { onix: leg } } };
  const { close } = await serveHere(values);
  onTestFinished(close);
  const search = async (): Promise<SearchResult> => {
    const response = await fetch(`${url}/api/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ persona: 'member', query: 'health', user_id: 'demo' }),
    });
    return (await response.json()) as SearchResult;
  };
  return { network, leg, url, search };
};

it.each(['beckn-1.1', 'beckn-2.0'] as const)(
  'an adapter like beckn-onix signs searches of Portico, and forwards the callbacks of every seller: %s',
  async (profile) => {
    const { leg, search } = await startBehindOnix(profile, 6);
    const { onix, traces } = await search();
    expect(leg).not.toHaveProperty('signing');
    expect(onix?.responses).toHaveLength(5);
    expect(traces.onix.sellers.map(({ bpp_id: id }) => id.replace(/\..*/, '')).toSorted()).toEqual([
      'failing',
      'fast',
      'paged',
      'paged',
      'slow',
      'twice',
    ]);
  },
);

it('an adapter like beckn-onix refuses a callback with a wrong signature, which does not reach Portico', async () => {
  const { network, search, url } = await startBehindOnix('beckn-1.1', 5);
  await network.sellers.fast.setBehaviour({ fault: 'wrong-signature' });
  const { onix } = await search();
  expect(onix?.responses).toHaveLength(4);
  await expect.poll(() => network.sellers.fast.callbacks.map(({ status }) => status), { interval: 5 }).toEqual([401]);
  const health = (await (await fetch(`${url}/health`)).json()) as { readonly callbacks: { readonly rejected: number } };
  expect(health.callbacks.rejected).toBe(0);
});

it('a leg fails at once when the adapter cannot reach the gateway', async () => {
  const { network, search } = await startBehindOnix('beckn-1.1', 6);
  await network.gateway.setFault({ kind: 'refuse' });
  const { onix, errors } = await search();
  expect([onix, errors?.onix.kind, errors?.onix.detail]).toEqual([
    null,
    'bap_unreachable',
    'the network responded with 502',
  ]);
});
