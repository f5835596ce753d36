import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { LegColumn } from './leg-column.tsx';
import { Waterfall } from './waterfall.tsx';

const eventWith = (result: unknown) => ({
  leg: 'moa',
  result,
  trace: { transaction_id: 't-1', elapsed_ms: 12, label: 'Network' },
});

it.each([
  [{ code: '40000', message: 'Error occurred' }, 'The seller returned an error: Error occurred (40000).'],
  [{ message: 'Error occurred' }, 'The seller returned an error: Error occurred.'],
  [{ code: '40000' }, 'The seller returned an error (40000).'],
  [{}, 'The seller returned an error.'],
])('shows the error of a seller that sent no catalog: %j', (error, shown) => {
  const event = eventWith({ context: {}, error });
  const column = renderToStaticMarkup(createElement(LegColumn, { label: 'Network', event }));
  expect(column).toContain(`<p class="error">${shown}</p>`);
  expect(column).not.toContain('No offers.');
  const waterfall = renderToStaticMarkup(createElement(Waterfall, { settled: [event] }));
  expect(waterfall).toContain('class="failed"');
  expect(waterfall).toContain('12 ms, error');
});

it('shows that a catalog has no offers', () => {
  const event = eventWith({ context: {}, message: { catalog: {} } });
  expect(renderToStaticMarkup(createElement(LegColumn, { label: 'Network', event }))).toContain('No offers.');
});
