import type { LegEvent } from '@portico/core';
import { describe, expect, it } from 'vitest';
import { describeSearch, outcomeOf } from './network-state.ts';
import { search } from './search-texts.en.ts';

const trace = { transaction_id: 't-1', elapsed_ms: 12, label: 'Network' };
const catalog = { message: { catalog: { items: [{ id: '1' }] } } };
const sellers = [{ bpp_id: 'a.example', message_id: null, code: '1', message: 'Closed' }];

const done: LegEvent = { leg: 'a', result: catalog, trace };
const late: LegEvent = { leg: 'b', result: null, error: { kind: 'timeout', detail: 'late' }, trace };
const down: LegEvent = { leg: 'c', result: null, error: { kind: 'bap_unreachable', detail: 'down' }, trace };
const refused: LegEvent = { leg: 'd', result: { error: { code: '1' } }, trace };
const partial: LegEvent = { leg: 'e', result: { responses: [catalog] }, error: { sellers }, trace };

describe('the outcome of a network', () => {
  it.each([
    ['done', done],
    ['timedOut', late],
    ['unreachable', down],
    ['refused', refused],
    ['refused', { leg: 'f', result: null, error: { kind: 'timeout', detail: 'late', sellers }, trace }],
    ['partial', partial],
  ] as const)('is %s', (outcome, event) => {
    expect(outcomeOf(event)).toBe(outcome);
  });
});

const status = (progress: Partial<Parameters<typeof describeSearch>[0]>) =>
  describeSearch({ phase: 'done', settled: [], waiting: 0, offers: 0, ...progress }, search.status);

describe('the status of a search', () => {
  it('counts networks that timed out or failed apart from those with offers', () => {
    expect(status({ settled: [done, late, down, refused], offers: 12 })).toBe(
      '12 offers from 1 network. 1 network did not respond in time. 2 networks could not be searched.',
    );
  });

  it('claims no result when every network failed', () => {
    expect(status({ settled: [late, down] })).toBe(
      'No network returned a result. 1 network did not respond in time. 1 network could not be searched.',
    );
  });

  it('mentions partial results', () => {
    expect(status({ settled: [done, partial], offers: 2 })).toBe(
      '2 offers from 2 networks. 1 network has partial results.',
    );
  });

  it('reports that nothing was found when networks have no offers', () => {
    expect(status({ settled: [done] })).toBe('No offers were found.');
  });

  it('counts what has arrived while it runs, and when it is cancelled', () => {
    expect(status({ phase: 'searching', settled: [done], waiting: 2 })).toBe(
      'Searching … 1 of 3 networks have responded.',
    );
    expect(status({ phase: 'cancelled', settled: [done], waiting: 2, offers: 1 })).toBe(
      'The search was cancelled. 1 offer arrived before.',
    );
    expect(status({ phase: 'cancelled' })).toBe('The search was cancelled.');
    expect(status({ phase: 'failed', offers: 2 })).toBe('2 offers arrived before.');
    expect(status({ phase: 'idle' })).toBe('');
  });
});
