import { once } from 'node:events';
import { createServer as createWebServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type ServerSettings } from '@portico/adapters-koa';
import { createUseCases, type OwnService } from '@portico/core';
import { fakePorts, type PortOverrides } from '@portico/core/testing';
import type { Result } from 'neverthrow';
import { onTestFinished } from 'vitest';
import { type ClientFailure, porticoClient, type PorticoClientSettings } from './index.ts';

export interface ServedPorticoSettings extends ServerSettings {
  /** Operations that replace those of the fakes. */
  readonly ports?: PortOverrides;
  readonly services?: readonly OwnService[];
}

/** Starts the real server on fakes until the test ends, with clients for its members. */
export const servePortico = async ({ ports, services, ...settings }: ServedPorticoSettings = {}) => {
  const fakes = fakePorts(ports);
  const useCases = createUseCases({ ...fakes, ...(services && { services }) });
  const url = await listening(createServer(useCases, settings));
  const tokenOf = (locator: string) => fakes.identity.issue({ sub: locator });
  return {
    url,
    fakes,
    useCases,
    tokenOf,
    clientOf: (locator: string, settings: Partial<PorticoClientSettings> = {}) =>
      porticoClient({ url, token: tokenOf(locator), ...settings }),
  };
};

/** Starts a server on a free loopback port until the test ends. Returns its URL. */
export const listening = async (server: Server): Promise<string> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Starts a server that is not Portico, and records its requests as `METHOD /path`. */
export const serveOther = async (respond: RequestListener) => {
  const requests: string[] = [];
  const url = await listening(
    createWebServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      respond(request, response);
    }),
  );
  return { url, requests };
};

/**
 * A URL on which no server listens. Another test could take a port that is only free now. Not port 1, which `fetch` refuses
 * without connecting.
 */
export const unusedUrl = 'http://127.0.0.1:2';

/** The value of a call. Throws when the call failed. */
export const succeeded = <T>(result: Result<T, ClientFailure>): T =>
  result.match(
    (value) => value,
    (failure) => {
      throw new Error(`The call failed: ${JSON.stringify(failure)}`);
    },
  );
