import { describe, expect, it } from 'vitest';
import { paramsOfSearch, paramsWith, viewOf } from './search-url.ts';

const params = (text: string) => new URLSearchParams(text);

describe('the URL of a search', () => {
  it('holds the query, the persona, the filter, the network and the order', () => {
    expect(viewOf(params('q=+insulin+&as=agent&filter=pen&network=mh&sort=price'), ['member', 'agent'])).toEqual({
      query: 'insulin',
      persona: 'agent',
      filter: 'pen',
      network: 'mh',
      order: 'price',
    });
  });

  it('names no search when it is empty', () => {
    expect(viewOf(params(''), null)).toEqual({
      query: '',
      persona: 'member',
      filter: '',
      network: undefined,
      order: undefined,
    });
  });

  it('cannot choose a persona or an order that does not exist, or a query that the server refuses', () => {
    const view = viewOf(params(`q=${'x'.repeat(300)}&as=admin&sort=toString`), ['agent']);
    expect(view).toMatchObject({ persona: 'agent', order: undefined });
    expect(view.query).toHaveLength(256);
  });

  it('keeps what is not changed, and leaves out what is empty', () => {
    expect(paramsWith(params('q=a&filter=b&other=1'), { filter: '', order: 'name' }).toString()).toBe(
      'q=a&other=1&sort=name',
    );
  });

  it('the URL of a new search keeps the order, but not the filter and the network', () => {
    expect(paramsOfSearch(params('q=a&filter=b&network=mh&sort=price'), 'c', 'agent').toString()).toBe(
      'q=c&sort=price&as=agent',
    );
  });
});
