/* oxlint-disable react/no-children-prop -- children are required, and tests are not JSX */
import type { Coverage } from '@portico/client';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { en } from '../../texts/en.ts';
import { loadPageTexts, WordingProvider } from '../../texts/texts.tsx';
import { enPages } from '../../texts/en-pages.ts';
import { ClaimFields } from './claim-fields.tsx';
import { errorTexts } from './error-texts.ts';

beforeAll(async () => {
  vi.stubGlobal('navigator', { languages: ['en-US'], onLine: true });
  await loadPageTexts('en');
});
afterAll(() => void vi.unstubAllGlobals());

/** The choice of the patient. */
const render = (coverage: Coverage | undefined, patient?: string) => {
  const fields = createElement(ClaimFields, {
    draft: new Map(patient === undefined ? [] : [['patient', patient]]),
    errors: new Map(),
    coverage,
    context: { today: '2026-07-01', locale: 'en-US' },
    isDisabled: false,
    onChange: () => {},
  });
  const page = createElement(WordingProvider, { language: 'en', texts: en, children: fields });
  return /<select.*<\/select>/.exec(renderToStaticMarkup(page))?.[0];
};

const coverage = {
  subscriber: { name: 'Sample Member A', relationship: 'self' },
  dependents: [{ name: 'Sample Member A', relationship: 'child' }],
};

it('people with the same name are different choices of a patient', () => {
  const options = render(coverage, 'Sample Member A, child')?.match(/<option.*?<\/option>/g);
  expect(options).toEqual([
    '<option value="Sample Member A, self">Sample Member A (you)</option>',
    '<option value="Sample Member A, child" selected="">Sample Member A (child)</option>',
  ]);
});

it('the member is the first choice of a patient, also as a dependent', () => {
  const dependents = [{ name: 'Sample Child', relationship: 'child' }];
  expect(render({ subscriber: { name: 'Sample Spouse', relationship: 'spouse' }, dependents })).toContain(
    '<option value="Sample Spouse, spouse" selected="">Sample Spouse (you)</option>',
  );
});

it('no patient is shown as chosen when the coverage does not have the person who was chosen', () => {
  expect(render(coverage, 'Sample Dependent A1, spouse')).toContain(
    '<option value="" selected="">Select a person</option>',
  );
  expect(render(undefined, 'Sample Dependent A1, spouse')).toContain(
    '<option value="" selected="">Select a person</option>',
  );
});

it('the error of a patient who is unknown describes what to do', () => {
  const texts = errorTexts(new Map([['patient', 'unknown']]), enPages.claims.submit, { locale: 'en-US' });
  expect(texts.get('patient')).toContain('Select a person');
});

it('there is no choice of a patient when only the member is covered', () => {
  expect(render({ ...coverage, dependents: [] })).toBeUndefined();
});
