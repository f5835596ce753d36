import { expect, it } from 'vitest';
import { createFeed } from './feed.ts';

it('an item arrives at an iterator that waits', async () => {
  const feed = createFeed<string>();
  const next = feed[Symbol.asyncIterator]().next();
  feed.push('a');
  expect(await next).toEqual({ done: false, value: 'a' });
});

it('the end arrives at an iterator that waits', async () => {
  const feed = createFeed<string>();
  const next = feed[Symbol.asyncIterator]().next();
  feed.end();
  expect(await next).toEqual({ done: true, value: undefined });
});

it('every iterator starts at the first item', async () => {
  const feed = createFeed<string>();
  feed.push('a');
  feed.push('b');
  feed.end();
  for (const iterator of [feed[Symbol.asyncIterator](), feed[Symbol.asyncIterator]()]) {
    expect([await iterator.next(), await iterator.next()]).toMatchObject([{ value: 'a' }, { value: 'b' }]);
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  }
});
