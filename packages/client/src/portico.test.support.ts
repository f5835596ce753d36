import { once } from 'node:events';
import { createServer as createWebServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type ServerSettings } from '@portico/adapters-koa';
import { createUseCases } from '@portico/core';
import { fakePorts, type PortOverrides } from '@portico/core/testing';
import type { Result } from 'neverthrow';
import { onTestFinished } from 'vitest';
import { type ClientFailure, porticoClient, type PorticoClientSettings } from './index.ts';

export interface ServedPorticoSettings extends ServerSettings {
  /** Operations to use instead of those of the fakes. */
  readonly ports?: PortOverrides;
}

/** The real server on fakes, for as long as the test lasts, and clients of its members. */
export const servePortico = async ({ ports, ...settings }: ServedPorticoSettings = {}) => {
  const fakes = fakePorts(ports);
  const use = createUseCases(fakes);
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
export const unusedUrl = async (): Promise<string> => {
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
