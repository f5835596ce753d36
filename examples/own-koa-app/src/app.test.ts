import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createUseCases } from '@portico/core';
import { fakePorts } from '@portico/core/testing';
import { expect, it, onTestFinished } from 'vitest';
import { ourApp } from './app.ts';

it('the app serves its own routes and those of Portico, both through its own middleware', async () => {
  const ports = fakePorts();
  const lines: string[] = [];
  const server = ourApp(createUseCases(ports), (line) => lines.push(line)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const headers = { authorization: `Bearer ${ports.identity.issue({ sub: 'PTY-1' })}`, connection: 'close' };
  const get = async (path: string) => (await fetch(url + path, { headers })).text();

  expect(await get('/me/coverage')).toBe('{"plan":"gold"}');
  expect(await get('/me/claims/CLM-1')).toBe('{"locator":"CLM-1","status":"paid"}');
  expect(await get('/me/nothing')).toContain('no-such-route');
  expect(await get('/version')).toBe('{"version":"1.2.3"}');
  expect(await get('/')).toBe('our pages');
  expect(lines).toEqual(['GET 200', 'GET 200', 'GET 404', 'GET 200', 'GET 200']);
});
