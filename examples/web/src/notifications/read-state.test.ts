import { afterEach, expect, it, vi } from 'vitest';
import { storageOf } from '../session/storage.test.support.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** The module in a browser with this storage. */
const openBrowser = async (storage: object) => {
  vi.stubGlobal('window', { localStorage: storage });
  return import('./read-state.ts');
};

const storageWith = (text: string) => storageOf(new Map([['portico:read-notifications', text]]));

it('the read state is kept for the next visit, with each notification once', async () => {
  const storage = storageWith('["A","B"]');
  const first = await openBrowser(storage);
  first.markRead(['B', 'C']);
  vi.resetModules();
  const next = await openBrowser(storage);
  expect(next.readKeys()).toEqual(['A', 'B', 'C']);
});

it('the read state keeps at most 500 notifications, and forgets the oldest ones', async () => {
  const stored = Array.from({ length: 500 }, (_, nth) => String(nth));
  const { markRead, readKeys } = await openBrowser(storageWith(JSON.stringify(stored)));
  markRead(['new']);
  expect(readKeys()).toEqual([...stored.slice(1), 'new']);
});

it.each(['', 'null', '{"a":1}', '[1,{}]', '[', '"text"'])(
  'a stored value that is not a list of keys is ignored: %s',
  async (text) => {
    const { markRead, readKeys } = await openBrowser(storageWith(text));
    expect(readKeys()).toEqual([]);
    markRead(['A']);
    expect(readKeys()).toEqual(['A']);
  },
);

const blocked = () => {
  throw new DOMException('blocked', 'SecurityError');
};

it.each([
  ['blocked', { getItem: blocked, setItem: blocked }],
  ['full', { getItem: () => '["B"]', setItem: blocked }],
])('the read state is kept until the page is closed if the storage is %s', async (_state, storage) => {
  const { markRead, readKeys } = await openBrowser(storage);
  markRead(['A']);
  expect(readKeys()).toContain('A');
});
