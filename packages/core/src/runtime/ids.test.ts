import { describe, expect, it } from 'vitest';
import { fakeIds } from './ids.fake.ts';

describe('ids for tests', () => {
  it('count up', () => {
    const ids = fakeIds();
    expect([ids.uuid(), ids.uuid()]).toEqual([
      '00000000-0000-4000-8000-000000000001',
      '00000000-0000-4000-8000-000000000002',
    ]);
  });

  it('have the form of a random UUID, and none comes twice', () => {
    const ids = fakeIds();
    const given = Array.from({ length: 1_000 }, () => ids.uuid());
    expect(new Set(given).size).toBe(1_000);
    expect(
      given.filter((id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)),
    ).toEqual([]);
  });
});
