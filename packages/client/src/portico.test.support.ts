import { once } from 'node:events';
import { createServer as createWebServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type ServerSettings } from '@portico/adapters-koa';
import { createUseCases, type Ports } from '@portico/core';
import {
  fakeClaims,
  fakeClock,
  fakeConsent,
  fakeDocuments,
  fakeEligibility,
  fakeIdentity,
  fakeNotifications,
  fakePolicy,
} from '@portico/core/testing';
import type { Result } from 'neverthrow';
import { onTestFinished } from 'vitest';
import { type ClientFailure, porticoClient, type PorticoClientSettings } from './index.ts';

export const preferences = {
  email: true,
  sms: false,
  push: true,
  claimsUpdates: true,
  billingAlerts: false,
  enrollmentReminders: true,
} as const;

const pdf = new TextEncoder().encode('%PDF-1.7 a document of some forty bytes.');

/** Fakes that know PTY-1 and PTY-2; PTY-3 has never set preferences. */
const porticoFakes = () => ({
  identity: fakeIdentity(),
  eligibility: fakeEligibility({
    'PTY-1': { coverage: { plan: 'gold' }, accumulators: { used: '1.00' } },
    'PTY-2': { coverage: { plan: 'bronze' }, accumulators: { used: '2.00' } },
  }),
  claims: fakeClaims({ 'PTY-1': [{ locator: 'CLM-1', status: 'paid' }], 'PTY-2': [] }),
  documents: fakeDocuments({ 'PTY-1': [{ locator: 'DOC-1', type: 'eob', pdf }], 'PTY-2': [] }),
  policy: fakePolicy({ 'PTY-1': { city: 'Springfield', zip: '1' }, 'PTY-2': { city: 'Shelbyville', zip: '2' } }),
  notifications: fakeNotifications({
    'PTY-1': { preferences, notifications: [], log: [] },
    'PTY-3': { preferences: null, notifications: [], log: [] },
  }),
  consent: fakeConsent({ 'PTY-1': { research: true }, 'PTY-2': { research: false } }),
  clock: fakeClock(),
});

export interface ServedPorticoSettings extends ServerSettings {
  /** Ports to use instead of the fakes. */
  readonly ports?: Partial<Ports>;
}

/** The real server on fakes, for as long as the test lasts, and clients of its members. */
export const servePortico = async ({ ports, ...settings }: ServedPorticoSettings = {}) => {
  const fakes = porticoFakes();
  const use = createUseCases({ ...fakes, ...ports });
  const url = await listening(createServer(use, settings));
  const tokenOf = (locator: string) => fakes.identity.issue({ sub: locator });
  return {
    url,
    fakes,
    use,
    tokenOf,
    clientOf: (locator: string, settings: Partial<PorticoClientSettings> = {}) =>
      porticoClient({ url, token: tokenOf(locator), ...settings }),
  };
};

/** Starts a server on a free port and ends it with the test. */
export const listening = async (server: Server): Promise<string> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** A server that is no Portico, and what it was asked. */
export const serveOther = async (answer: RequestListener) => {
  const heard: string[] = [];
  const url = await listening(
    createWebServer((request, response) => {
      heard.push(`${request.method} ${request.url}`);
      answer(request, response);
    }),
  );
  return { url, heard };
};

/** An address where nobody listens. */
export const nobodysUrl = async (): Promise<string> => {
  const server = createWebServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
};

/** The value of a call that the test needs to succeed. */
export const succeeded = <T>(result: Result<T, ClientFailure>): T =>
  result.match(
    (value) => value,
    (failure) => {
      throw new Error(`the call failed: ${JSON.stringify(failure)}`);
    },
  );
