import { systemClock } from '@portico/core/system';
import { expect, it } from 'vitest';
import { httpIdentity } from '../identity/identity.ts';
import { ServiceGuard } from './service-guard.ts';
import { httpClient } from '../http/client.ts';

const identity = { issuer: 'https://id.example', audience: ['portico'] };

it.each([
  ['timeoutMs', () => httpClient('claims', { timeoutMs: Number.NaN })],
  ['maxResponseBytes', () => httpClient('claims', { maxResponseBytes: Number.NaN })],
  ['maxLifetimeSeconds', () => httpIdentity({ ...identity, maxLifetimeSeconds: Number.NaN })],
  ['clockToleranceSeconds', () => httpIdentity({ ...identity, clockToleranceSeconds: -1 })],
  ['keyCacheSeconds', () => httpIdentity({ ...identity, keyCacheSeconds: Number.NaN })],
  ['breakForMs', () => new ServiceGuard('claims', systemClock, { breakForMs: Number.NaN })],
  ['maxInFlight', () => new ServiceGuard('claims', systemClock, { maxInFlight: 0 })],
])('a limit that would never apply is refused: %s', (name, create) => {
  expect(create).toThrow(new RegExp(`^${name} must be a number of at least [01]\\.$`));
});
