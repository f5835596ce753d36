import type { Coverage } from '@portico/client';
import { expect, it } from 'vitest';
import { amountIn, claimOf, coverageOfMember, errorsOf, patientId, patientsOf, refusedFields } from './claim-draft.ts';

const english = { today: '2026-07-01', decimalSign: '.' };

const draft = new Map([
  ['kind', 'vision'],
  ['provider', ' Example Eye Care '],
  ['date', '2026-06-30'],
  ['amount', '84.50'],
]);

const coverage = {
  currency: 'USD',
  subscriber: { name: 'Sample Member A', relationship: 'self' },
  dependents: [{ name: 'Sample Dependent A2', relationship: 'child' }],
} as const;

/** The son has the name of his father. */
const namesakes = {
  subscriber: coverage.subscriber,
  dependents: [{ name: 'Sample Member A', relationship: 'child' }],
} as const;

/** The patient of the claim, if this patient was chosen. */
const patientIn = (chosen: string, read: Coverage = coverage) =>
  (claimOf(new Map(draft).set('patient', chosen), read, english) as { readonly patient?: object }).patient;

it.each([
  ['84.50', '.', 84.5],
  ['84,50', '.', 84.5],
  ['84,5', ',', 84.5],
  ['$1,234.50', '.', 1234.5],
  ['1.234,50 €', ',', 1234.5],
  ['1 234', '.', 1234],
  ['1\u202f234,50 €', ',', 1234.5],
  ['1’234’567.50', ',', 1234567.5],
  ['$ 84.50', '.', 84.5],
  ['84 50', '.', undefined],
  ["84'50", '.', undefined],
  ['84$50', '.', undefined],
  ['1234 567', '.', undefined],
  ['1 234,567', '.', undefined],
  ['1,234', '.', 1234],
  ['1.234', ',', 1234],
  ['1.234', '.', undefined],
  ['1,234', ',', undefined],
  ['12,34,567', '.', undefined],
  ['-5', '.', undefined],
  ['1e3', '.', undefined],
  ['eighty', '.', undefined],
  ['9999999999999', '.', undefined],
])('the amount %s with the decimal sign %s is read as %s', (text, decimalSign, amount) => {
  expect(amountIn(text, decimalSign)).toBe(amount);
});

it('all errors of a draft are reported at once, in the order of the form', () => {
  expect([...errorsOf(new Map(), undefined, english)]).toEqual([
    ['kind', 'missing'],
    ['provider', 'missing'],
    ['date', 'missing'],
    ['amount', 'missing'],
  ]);
});

it('a complete draft is accepted', () => {
  expect(errorsOf(draft, coverage, english).size).toBe(0);
});

it.each([
  ['date', '2026-07-02', 'future'],
  ['date', '2026-07', 'missing'],
  ['amount', 'a lot', 'invalid'],
  ['amount', '0.00', 'zero'],
  ['provider', '   ', 'missing'],
  ['kind', 'unknown', 'missing'],
])('a draft with the %s %j is refused', (name, value, error) => {
  expect([...errorsOf(new Map(draft).set(name, value), coverage, english)]).toEqual([[name, error]]);
});

it('a claim is submitted in the recommended format, for the member unless another patient was chosen', () => {
  expect(claimOf(draft, coverage, english)).toEqual({
    type: 'vision',
    patient: { name: 'Sample Member A', relationship: 'self' },
    provider: { name: 'Example Eye Care' },
    serviceDates: { from: '2026-06-30', to: '2026-06-30' },
    currency: 'USD',
    billedAmount: 84.5,
  });
  expect(patientIn('Sample Dependent A2, child')).toEqual({ name: 'Sample Dependent A2', relationship: 'child' });
});

it('a claim is submitted for the person who was chosen, although another one has the same name', () => {
  const patients = patientsOf(namesakes);
  expect(patients.map((patient) => patientIn(patientId(patient), namesakes))).toEqual(patients);
});

it('the member who is a dependent is the first patient, and the subscriber is none', () => {
  const read = {
    subscriber: { name: 'Sample Subscriber', relationship: 'spouse' },
    dependents: [
      { name: 'Sample Spouse', relationship: 'spouse' },
      { name: 'Sample Child', relationship: 'child' },
    ],
  };
  expect(patientsOf(coverageOfMember(read, 'Sample Spouse'))).toEqual(read.dependents);
  expect(patientsOf(coverageOfMember({ ...read, dependents: [] }, 'Ann'))).toEqual([
    { name: 'Ann', relationship: 'spouse' },
  ]);
});

it('a claim of a dependent whose name is not known names no patient', () => {
  const read = { subscriber: { name: 'Sample Subscriber', relationship: 'child' }, dependents: [] };
  expect(claimOf(draft, coverageOfMember(read, undefined), english)).not.toHaveProperty('patient');
});

it.each(['Self', 'SELF', null])('the member is the subscriber with the relationship %j', (relationship) => {
  const read = { subscriber: { name: 'Sample Member A', relationship } } as unknown as typeof coverage;
  expect(coverageOfMember(read, 'sample')).toBe(read);
});

it('the subscriber is the first patient by the name of the policy', () => {
  expect(patientsOf(coverageOfMember(coverage, 'sample'))[0]).toEqual(coverage.subscriber);
});

it('a draft of an earlier version, which has only the name of the patient, is submitted for the one who has it', () => {
  expect(patientIn('Sample Dependent A2')).toEqual({ name: 'Sample Dependent A2', relationship: 'child' });
});

it.each([
  ['could not be read', 'Sample Dependent A2, child', undefined],
  ['does not have the person', 'Sample Dependent A1, spouse', coverage],
  ['has two people of the name in a draft of an earlier version', 'Sample Member A', namesakes],
])('a draft for someone else is refused when the coverage %s', (_case, patient, read) => {
  expect([...errorsOf(new Map(draft).set('patient', patient), read, english)]).toEqual([['patient', 'unknown']]);
});

it('a description is submitted as the only service line', () => {
  expect(claimOf(new Map(draft).set('description', 'Glasses'), undefined, english)).toMatchObject({
    serviceLines: [{ lineNumber: 1, description: 'Glasses', serviceDate: '2026-06-30', billedAmount: 84.5 }],
  });
});

it('a claim without a coverage names no patient and no currency', () => {
  expect(Object.keys(claimOf(draft, undefined, english))).toEqual(['type', 'provider', 'serviceDates', 'billedAmount']);
  expect(patientsOf({ subscriber: {} })).toEqual([]);
});

it('the errors of a refused claim are assigned to the fields', () => {
  const refused = refusedFields([
    { path: '/billedAmount', message: 'is too high' },
    { path: '/serviceDates/from', message: 'is too old' },
    { path: '', message: 'is not complete' },
  ]);
  expect([...refused]).toEqual([
    ['date', 'is too old'],
    ['amount', 'is too high'],
  ]);
});
