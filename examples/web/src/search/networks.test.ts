import type { LegEvent } from '@portico/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Networks } from './networks.tsx';

const trace = { transaction_id: 't-1', elapsed_ms: 12, label: 'Network' };

const shown = (settled: readonly LegEvent[], waiting: readonly { id: string; label: string }[] = []) =>
  renderToStaticMarkup(createElement(Networks, { settled, waiting, arrived: [] }));

const items = [{ id: 'i-1' }, { id: 'i-2' }];

const withItems = (count: number) => ({
  leg: `l-${count}`,
  result: { message: { catalog: { providers: [{ id: 'P', items: items.slice(0, count) }] } } },
  trace,
});

describe('the line of a network', () => {
  it.each([
    [{ code: '40000', message: 'Error occurred' }, 'The seller returned an error: Error occurred (40000).'],
    [{ message: 'Error &lt;b&gt; occurred' }, 'The seller returned an error: Error &lt;b&gt; occurred.'],
    [{ code: '40000' }, 'The seller returned an error (40000).'],
    [{}, 'The seller returned an error.'],
  ])('shows the error of a seller that sent no catalog: %j', (error, text) => {
    const line = shown([{ leg: 'moa', result: { context: {}, error }, trace }]);
    expect(line).toContain(`<p class="error">${text}</p>`);
    expect(line).toContain('12 ms, failed');
    expect(line).toContain('class="failed"');
  });

  it.each([
    ['timeout', 'This network did not respond in time (late).'],
    ['bap_unreachable', 'This network could not be reached (late).'],
  ])('shows why a network failed: %s', (kind, text) => {
    const line = shown([{ leg: 'moa', result: null, error: { kind, detail: 'late' }, trace }]);
    expect(line).toContain(`<p class="error">${text}</p>`);
    expect(line).toContain('12 ms, failed');
  });

  it('shows the number of offers', () => {
    expect(shown([0, 1, 2].map(withItems)).match(/12 ms, \d offers?/g)).toEqual([
      '12 ms, 0 offers',
      '12 ms, 1 offer',
      '12 ms, 2 offers',
    ]);
    expect(shown([withItems(1)])).not.toContain('class="error"');
  });

  it('shows the errors of some sellers beside the offers of others', () => {
    const error = { sellers: [{ bpp_id: 'a.example', message_id: null, code: '1', message: 'Closed' }] };
    const result = { responses: [{ message: { catalog: { items } } }] };
    const line = shown([{ leg: 'mh', result, error, trace }]);
    expect(line).toContain('12 ms, 2 offers');
    expect(line).toContain('<p class="error">The seller a.example returned an error: Closed (1).</p>');
  });

  it('shows networks that are pending last', () => {
    const lines = shown([{ leg: 'mh', result: {}, trace }], [{ id: 'moa', label: 'Slow network' }]);
    expect(lines).toMatch(/Network<\/span>.*Slow network<\/span>.*Waiting …/);
    expect(lines).toContain('aria-busy="true"');
  });

  it('counts the sellers of a network that is pending', () => {
    const arrived = ['a', 'b'].map((seller) => ({ leg: 'mh', bpp_id: seller, result: {} }));
    const waiting = ['mh', 'moa'].map((id) => ({ id, label: id }));
    const lines = renderToStaticMarkup(createElement(Networks, { settled: [], waiting, arrived }));
    expect(lines).toMatch(/mh<\/span>.*2 sellers ….*moa<\/span>.*Waiting …/);
  });
});
