/* oxlint-disable react/no-children-prop -- children are required, and tests are not JSX */
import { createElement, type ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { de } from '../texts/de.ts';
import { en } from '../texts/en.ts';
import { loadPageTexts, WordingProvider } from '../texts/texts.tsx';
import { LinkButton } from './button.tsx';
import { Panel } from './card.tsx';
import { type Column, DataTable } from './data/data-table.tsx';
import { FilterLinks } from './data/filter-links.tsx';
import { Pagination } from './data/pagination.tsx';
import { Timeline } from './data/timeline.tsx';
import { ErrorSummary, type FieldErrors } from './forms/error-summary.tsx';
import { Field, Select } from './forms/field.tsx';
import { Radios } from './forms/radios.tsx';
import { Switch } from './forms/switch.tsx';
import { Meter } from './meter.tsx';
import { Tag } from './tag.tsx';
import { ToastProvider, useToast } from './toast.tsx';

vi.stubGlobal('navigator', { languages: ['en-US'], onLine: true });

beforeAll(() => Promise.all([loadPageTexts('en'), loadPageTexts('de')]));

const PageWithToasts = () => {
  useToast();
  return 'page';
};

const render = (element: ReactElement, language: 'en' | 'de' = 'en'): string => {
  const router = createMemoryRouter([{ path: '/', element }]);
  const pages = createElement(RouterProvider, { router });
  const texts = language === 'en' ? en : de;
  return renderToStaticMarkup(createElement(WordingProvider, { language, texts, children: pages }));
};

describe('a field', () => {
  it('is described by its hint and its error, and is marked as invalid', () => {
    const shown = render(createElement(Field, { name: 'city', label: 'City', hint: 'Town', error: 'Enter a city' }));
    expect(shown).toContain('<label for="field-city">City</label>');
    expect(shown).toContain('<span id="field-city-error" class="error">Enter a city</span>');
    expect(shown).toContain('aria-describedby="field-city-hint field-city-error" aria-invalid="true"');
  });

  it('has neither description nor error without them', () => {
    expect(render(createElement(Select, { name: 'sort', label: 'Sort by' }))).not.toMatch(/aria-/);
  });

  it('is linked from the summary of the errors', () => {
    const errors: FieldErrors = new Map([['city', 'Enter a city']]);
    const shown = render(createElement(ErrorSummary, { errors, attempt: 1 }));
    expect(shown).toContain('There is a problem');
    expect(shown).toContain('<a href="#field-city">Enter a city</a>');
  });

  it('has no summary without errors', () => {
    expect(render(createElement(ErrorSummary, { errors: new Map(), attempt: 0 }))).toBe('');
  });
});

it('a group of radios checks the option of its value, and an error links to the first option', () => {
  const options = [
    { value: 'yes', label: 'Yes' },
    { value: 'no', label: 'No' },
  ];
  const shown = render(
    createElement(Radios, {
      name: 'share',
      legend: 'Share?',
      options,
      value: 'no',
      error: 'Choose one',
      onChange: () => {},
    }),
  );
  expect(shown).toMatch(/<input type="radio" id="field-share" name="share"\/>/);
  expect(shown).toMatch(/<input type="radio" name="share" checked=""\/>/);
});

it('a switch shows in words whether it is on, in the language of the member', () => {
  const toggle = createElement(Switch, { label: 'Email', checked: true, onChange: () => {} });
  expect([render(toggle), render(toggle, 'de')]).toEqual([
    expect.stringContaining('>On</span>'),
    expect.stringContaining('>Ein</span>'),
  ]);
});

describe('a meter', () => {
  it.each([
    [50, 200, 'class="fill" width="25"', 'aria-valuenow="50"'],
    [250, 200, 'class="full" width="100"', 'aria-valuenow="200"'],
    [-50, 200, 'class="fill" width="0"', 'aria-valuenow="0"'],
    [0, 0, 'class="full" width="100"', 'aria-valuenow="0"'],
  ])('shows %i of %i', (value, max, bar, now) => {
    const shown = render(createElement(Meter, { label: 'Deductible', value, max, text: 'text' }));
    expect(shown).toContain(bar);
    expect(shown).toContain(now);
  });
});

it('a table names the column of each value, for its list on small screens', () => {
  const columns: readonly Column<{ readonly name: string }>[] = [
    { title: 'Service', cell: ({ name }) => name },
    { title: 'Copay', cell: () => '$20', isNumeric: true },
  ];
  const rows = [{ name: 'Office visit' }];
  const shown = render(
    createElement(DataTable<{ readonly name: string }>, {
      caption: 'Copays',
      columns,
      rows,
      keyOf: ({ name }) => name,
    }),
  );
  expect(shown).toContain('<th scope="row" role="rowheader">Office visit</th>');
  expect(shown).toContain('<td role="cell" data-title="Copay" class="numeric">$20</td>');
});

it('the filter links mark the current filter', () => {
  const options = [
    { to: '/', label: 'All', isCurrent: true },
    { to: '/?status=paid', label: 'Paid', isCurrent: false },
  ];
  expect(render(createElement(FilterLinks, { label: 'Status', options })).match(/aria-current/g)).toHaveLength(1);
});

it('the pagination of a list links only to pages that exist', () => {
  const shown = render(createElement(Pagination, { previous: undefined, next: '/?page=2', position: '1 to 10' }));
  expect([shown.includes('rel="prev"'), shown.includes('rel="next"')]).toEqual([false, true]);
  expect(render(createElement(Pagination, { previous: undefined, next: undefined, position: '' }))).toBe('');
});

it('a timeline marks its current step', () => {
  const shown = render(
    createElement(Timeline, {
      steps: [
        { title: 'Received', at: 'Jan 1', state: 'done' },
        { title: 'In review', state: 'current' },
      ],
    }),
  );
  expect(shown.match(/<li [^>]*aria-current="step"/g)).toHaveLength(1);
});

it('a tag shows a status with an icon, so that colour is not the only sign', () => {
  expect(render(createElement(Tag, { tone: 'bad', children: 'Denied' }))).toMatch(/<svg.*Denied/);
});

it('a panel of a page is named by its title', () => {
  const shown = render(
    createElement(Panel, { title: 'Costs', children: createElement(LinkButton, { to: '/' }, 'All') }),
  );
  const [, id] = /aria-labelledby="([^"]+)"/.exec(shown) ?? [];
  expect(shown).toContain(`<h2 id="${id}">Costs</h2>`);
});

it('the region of short messages stays on the page, because screen readers announce only its changes', () => {
  expect(render(createElement(ToastProvider, { children: createElement(PageWithToasts) }))).toContain(
    '<output></output>',
  );
});
