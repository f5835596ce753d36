import { httpClaims, httpEligibility, httpIdentity } from '@portico/adapters-http';
import { drain } from '@portico/adapters-koa';
import { createUseCases } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { ourServer } from './server.ts';

// Only the services that are given have routes.
const useCases = createUseCases({
  identity: httpIdentity({ issuer: '{{issuer}}', audience: ['portico'] }),
  eligibility: httpEligibility({ url: 'https://eligibility.example' }),
  claims: httpClaims({ url: 'https://claims.example', timeoutMs: 3000 }),
  clock: systemClock,
});
const server = ourServer(useCases).listen(Number(process.env['PORT'] ?? 8080), process.env['HOST'] ?? '127.0.0.1');
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void drain(server));
