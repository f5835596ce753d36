import type { Ids } from './ids.port.ts';

/** Generates sequential UUIDs, starting with `00000000-0000-4000-8000-000000000001`. */
export const fakeIds = (): Ids => {
  let count = 0;
  return { uuid: () => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}` };
};
