import { expect, it, vi } from 'vitest';

it('the proxy of the development server uses the port in PORT', async ({ onTestFinished }) => {
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  vi.stubEnv('PORT', '8180');
  vi.resetModules();
  const { default: config } = await import('./vite.config.ts');
  expect(config).toMatchObject({
    server: { proxy: { '/me': 'http://127.0.0.1:8180', '/config.json': 'http://127.0.0.1:8180' } },
  });
});
