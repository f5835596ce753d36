import { defineConfig } from 'vitest/config';

export default defineConfig({
  ssr: { resolve: { conditions: ['@portico/source'] } },
  test: {
    include: ['**/*.test.ts'],
    // examples/swap-adapter shows the contract suites under node:test.
    exclude: ['**/node_modules/**', '**/dist/**', 'examples/swap-adapter/**'],
    // Test files share a worker and its modules: what they start, they end.
    isolate: false,
    // A guard against what hangs, not a measure: packages are tested side by side on small machines.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
