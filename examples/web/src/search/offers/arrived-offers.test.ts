import { expect, it } from 'vitest';
import { offersIn } from './arrived-offers.ts';

const from = (...items: readonly string[]) => ({
  message: { catalog: { providers: [{ id: 'P', items: items.map((id) => ({ id })) }] } },
});
const labels = new Map([['mh', 'Health market']]);

const listed = (...results: Parameters<typeof offersIn>[0]) =>
  offersIn(results, labels).map(({ network, itemId }) => `${network} ${itemId}`);

it('the offers of all networks are listed in the order of arrival', () => {
  expect(
    listed({ leg: 'mh', result: from('1') }, { leg: 'moa', result: from('2', '1') }, { leg: 'mh', result: from('3') }),
  ).toEqual(['Health market 1', 'moa 2', 'moa 1', 'Health market 3']);
});

it('an offer that a seller sends twice is listed once', () => {
  expect(listed({ leg: 'mh', result: from('1', '2') }, { leg: 'mh', result: from('2', '3') })).toEqual([
    'Health market 1',
    'Health market 2',
    'Health market 3',
  ]);
});

const clinic = (...items: readonly object[]) => ({ descriptor: { name: 'City Clinic' }, items });
const room = (value: string) => ({ descriptor: { name: 'Room' }, price: { value } });

it('different offers of sellers and items without ids are all listed', () => {
  const providers = [
    clinic({ id: '1', descriptor: { name: 'X-ray' } }),
    clinic({ id: '1', descriptor: { name: 'MRI' } }),
  ];
  const offers = offersIn(
    [{ leg: 'moa', result: { message: { catalog: { providers: [...providers, clinic(room('10'), room('20'))] } } } }],
    labels,
  );
  expect(offers.map(({ name, price }) => [name, price?.value])).toEqual([
    ['X-ray', undefined],
    ['MRI', undefined],
    ['Room', '10'],
    ['Room', '20'],
  ]);
});

it('all unnamed terms of an item are listed', () => {
  const offers = ['10', '20'].map((value) => ({ id: value, price: { value } }));
  const result = { message: { catalogs: [{ items: [{ id: 'I', offers }], provider: { id: 'P' } }] } };
  expect(offersIn([{ leg: 'mh', result }], labels).map(({ price }) => price?.value)).toEqual(['10', '20']);
});

it.each([null, undefined, 'text', 5, [], {}])('no offers are listed for the result %j', (result) => {
  expect(listed({ leg: 'mh', result })).toEqual([]);
});

it('an offer shows the name of its network once the name is known', () => {
  const results = [{ leg: 'mh', result: from('1') }];
  expect(offersIn(results, new Map())[0]?.network).toBe('mh');
  expect(offersIn(results, labels)[0]?.network).toBe('Health market');
});

it('the offers of a result are read once', () => {
  const results = [{ leg: 'mh', result: from('1') }];
  expect(offersIn(results, labels)[0]).toBe(offersIn(results, labels)[0]);
});
