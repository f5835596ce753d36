import { defineConfig } from 'vitest/config';

export default defineConfig({
  ssr: { resolve: { conditions: ['source'] } },
  test: { include: ['**/src/**/*.test.ts'], exclude: ['**/node_modules/**', '**/dist/**'] },
});
