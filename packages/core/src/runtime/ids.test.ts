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
});
