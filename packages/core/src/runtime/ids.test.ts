import { describe, expect, it } from 'vitest';
import { fakeIds } from './ids.fake.ts';

describe('fakeIds', () => {
  it('generates sequential UUIDs', () => {
    const ids = fakeIds();
    expect([ids.uuid(), ids.uuid()]).toEqual([
      '00000000-0000-4000-8000-000000000001',
      '00000000-0000-4000-8000-000000000002',
    ]);
  });

  it('generates distinct ids in the format of a random UUID', () => {
    const ids = fakeIds();
    const generated = Array.from({ length: 1_000 }, () => ids.uuid());
    expect(new Set(generated).size).toBe(1_000);
    expect(
      generated.filter((id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)),
    ).toEqual([]);
  });
});
