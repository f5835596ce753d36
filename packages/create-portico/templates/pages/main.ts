import { httpClaims, httpEligibility, httpIdentity } from '@portico/adapters-http';
import { drain } from '@portico/adapters-koa';
import { readSessionKey } from '@portico/adapters-session';
import { createUseCases } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { ourServer } from './server.ts';

const variable = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`The variable ${name} is not set.`);
  return value;
};

const issuer = '{{issuer}}';
// Only the services that are given have routes.
const useCases = createUseCases({
  identity: httpIdentity({ issuer, audience: ['portico'] }),
  eligibility: httpEligibility({ url: 'https://eligibility.example' }),
  claims: httpClaims({ url: 'https://claims.example', timeoutMs: 3000 }),
  clock: systemClock,
});
const server = ourServer(useCases, {
  issuer,
  client: { id: 'portal', secret: variable('CLIENT_SECRET') },
  // The URL of the browser. It must be https, except on this machine.
  publicUrl: process.env['PUBLIC_URL'] ?? 'http://localhost:8080',
  keys: [readSessionKey(variable('SESSION_KEY'))],
}).listen(Number(process.env['PORT'] ?? 8080), process.env['HOST'] ?? '127.0.0.1');
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void drain(server));
