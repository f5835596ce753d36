import { describe, expect, it } from 'vitest';
import { describeLocation, readDistanceKm, readLocation } from './location.ts';

describe('a location', () => {
  it.each<[unknown, object | undefined]>([
    [{ gps: '12.97,77.59' }, { gps: '12.97,77.59' }],
    [{ gps: ' 12.97 , 77.59' }, { gps: '12.97,77.59' }],
    [{ gps: '+12.97 077.590' }, { gps: '12.97,77.59' }],
    [{ gps: '90,-180' }, { gps: '90,-180' }],
    [{ gps: '-90,180,0' }, { gps: '-90,180' }],
    [{ gps: '95.0,77.59' }, undefined],
    [{ gps: '12.97,180.1' }, undefined],
    [{ gps: '12.97,-181' }, undefined],
    [{ gps: 'N12,77' }, undefined],
    [{ gps: '12N,77' }, undefined],
    [{ gps: '12.97,1e2' }, undefined],
    [{ gps: '12.97' }, undefined],
    [{ gps: 'somewhere, there' }, undefined],
    [{ gps: [1, 2] }, undefined],
    [{ gps: 12 }, undefined],
    [{ geo: { type: 'MultiPoint', coordinates: [[77.59], [12.97]] } }, undefined],
    [{ geo: { type: 'Point', coordinates: [] } }, undefined],
    [{ geo: { type: 'Point', coordinates: [77.59, 12.97] } }, { gps: '12.97,77.59' }],
    [{ geo: { type: 'Polygon', coordinates: [[[1, 2]]] } }, undefined],
    [{ city: 'Pune' }, { city: 'Pune' }],
    [{ city: { code: 'std:020' } }, undefined],
    [{ name: 'Branch' }, { name: 'Branch' }],
    [{ address: { city: 'Pune', street: 'Main Road' } }, { city: 'Pune' }],
    [{ address: '1 Main Road, Pune &amp; Co' }, { address: '1 Main Road, Pune & Co' }],
    [
      { descriptor: { name: 'Branch' }, city: { name: 'Pune' } },
      { name: 'Branch', city: 'Pune' },
    ],
    [{ id: 'L-1' }, undefined],
    ['Pune', undefined],
  ])('is read from %j', (location, read) => {
    expect(readLocation(location)).toStrictEqual(read);
  });

  it.each([
    [{ name: 'Branch', city: 'Pune', address: 'Road', gps: '1,2' }, 'Pune'],
    [{ name: 'Branch', address: 'Road', gps: '1,2' }, 'Branch'],
    [{ address: 'Road', gps: '1,2' }, 'Road'],
    [{ gps: '1,2' }, '1,2'],
    [{}, ''],
  ])('%j is described by its most useful part', (location, shown) => {
    expect(describeLocation(location)).toBe(shown);
  });
});

describe('a distance', () => {
  it.each<[unknown, number | undefined]>([
    [{ value: '2.5', unit: 'km' }, 2.5],
    [{ value: 1800, unit: 'Meters' }, 1.8],
    [{ value: 10, unit: ' mi ' }, 16.09344],
    ['2.5 km', 2.5],
    [' 12.75 KM ', 12.75],
    ['about 2.5 km', undefined],
    ['2.5 km away', undefined],
    ['2.5 parsec', undefined],
    ['900m', 0.9],
    [{ value: 2 }, undefined],
    [{ unit: 'km' }, undefined],
    [2, undefined],
    ['far', undefined],
    ['2 constructor', undefined],
    [{ value: -1, unit: 'km' }, undefined],
    [{ value: 'x', unit: 'km' }, undefined],
  ])('is read from %j', (distance, km) => {
    expect(readDistanceKm({ distance })).toBe(km);
  });
});
