import { defineConfig } from 'vitest/config';

export default defineConfig({
  ssr: { resolve: { conditions: ['@portico/source'] } },
  test: {
    include: ['**/*.test.ts'],
    // examples/swap-adapter and the templates of create-portico use node:test.
    exclude: ['**/node_modules/**', '**/dist/**', 'examples/swap-adapter/**', '**/templates/**'],
    // Test files share a worker and its modules, so each must close what it starts.
    isolate: false,
    // No test goes through a proxy of the machine it runs on.
    env: { no_proxy: '*' },
    // Only detects tests that hang: tests must pass on a machine that is ten times slower than usual.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
