import { afterEach, expect, it, vi } from 'vitest';
import { applyJq } from './jq.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('reports that jq is not installed, and what to do', () => {
  vi.stubEnv('PATH', '/nonexistent');

  expect(applyJq('.a', '{}')).toMatchObject({
    error: {
      exitCode: 2,
      document: { detail: '--jq requires jq, which is not installed.' },
      hint: 'Install jq, or use --json.',
    },
  });
});
