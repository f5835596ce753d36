import type { Ids } from './ids.port.ts';

/** UUIDs that count up: `00000000-0000-4000-8000-000000000001` comes first. */
export const fakeIds = (): Ids => {
  let given = 0;
  return { uuid: () => `00000000-0000-4000-8000-${String(++given).padStart(12, '0')}` };
};
