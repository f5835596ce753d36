import { reservePort } from '@portico/demo/ports';
import { startSellerNetwork, type WireProfileName } from '@portico/sandbox';
import { expect, it, onTestFinished } from 'vitest';
import { commandHere } from '../command-line/command-here.ts';
import { serveHere } from '../command-line/serve-here.ts';

/** Starts the sandbox's network in this profile, and Portico with it as the only leg. Returns Portico's URL. */
const startSearch = async (profile: WireProfileName): Promise<string> => {
  // Fast, paged (two pages), twice, failing and slow.
  const network = await startSellerNetwork({ profile, callbacks: { count: 6 }, longestDelayMs: 20 });
  onTestFinished(network.close);
  const port = await reservePort();
  const values = {
    listen: { port },
    log: { level: 'silent' },
    search: { timeoutMs: 60_000, legs: { care: network.leg(`http://127.0.0.1:${port}`) } },
  };
  const { url, close } = await serveHere(values);
  onTestFinished(close);
  return url;
};

const search = (url: string, ...options: readonly string[]) =>
  commandHere(['search', 'health', '--persona', 'member', '--user-id', 'demo', '--server', url, ...options], {});

interface SearchResult {
  readonly care: { readonly responses: readonly object[] };
  readonly errors: { readonly care: { readonly sellers: readonly { readonly bpp_id: string }[] } };
  readonly traces: { readonly care: { readonly sellers: readonly { readonly bpp_id: string }[] } };
}

it.each(['beckn-1.1', 'beckn-0.9', 'ondc-1.2', 'beckn-2.0'] as const)(
  'portico search collects every seller of a network of %s, signed and verified',
  async (profile) => {
    const url = await startSearch(profile);
    const { stdout, exitCode } = await search(url, '--json');
    const { care, errors, traces } = JSON.parse(stdout) as SearchResult;
    expect(exitCode).toBe(0);
    expect(care.responses).toHaveLength(5);
    expect(traces.care.sellers.map(({ bpp_id: id }) => id.replace(/\..*/, '')).toSorted()).toEqual([
      'failing',
      'fast',
      'paged',
      'paged',
      'slow',
      'twice',
    ]);
    expect(errors.care.sellers).toMatchObject([{ bpp_id: 'failing.care.example', code: '30004' }]);

    const { stdout: shown } = await search(url);
    for (const text of ['Digital thermometer', 'Wheelchair', 'Nebuliser', 'Baby scale', 'Glucometer', 'INR 7,800.00'])
      expect(shown).toContain(text);
  },
);
