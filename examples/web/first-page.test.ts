import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { type Chunk, firstPageBytes } from './first-page.config.ts';

/** Text that cannot be compressed to less than about its size. */
const codeOf = (bytes: number) => randomBytes(bytes).toString('latin1');

const chunk = (fileName: string, bytes: number, rest: Partial<Chunk> = {}): Chunk => ({
  fileName,
  isEntry: false,
  facadeModuleId: null,
  imports: [],
  code: codeOf(bytes),
  ...rest,
});

const chunks = [
  chunk('index.js', 1000, { isEntry: true, imports: ['framework.js'] }),
  chunk('framework.js', 1000, { imports: ['index.js'] }),
  chunk('dashboard.js', 1000, {
    facadeModuleId: '/project/src/dashboard/dashboard.tsx',
    imports: ['framework.js', 'card.js'],
  }),
  chunk('card.js', 1000),
  chunk('en.js', 1000, { facadeModuleId: 'C:\\web\\src\\texts\\en.ts' }),
  chunk('search.js', 50_000, { facadeModuleId: '/project/src/search/search-page.tsx' }),
];

it('firstPageBytes counts each script of the first page once, and those of other pages not at all', () => {
  const bytes = firstPageBytes(chunks);
  expect(bytes).toBeGreaterThan(5000);
  expect(bytes).toBeLessThan(10_000);
});

it('firstPageBytes fails for pages whose dashboard it cannot find', () => {
  expect(() => firstPageBytes(chunks.filter(({ fileName }) => fileName !== 'dashboard.js'))).toThrow('were not found');
});
