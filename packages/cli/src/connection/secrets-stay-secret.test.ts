import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { expect, it } from 'vitest';
import { fileWith, portico, startPortico } from '../program/binary.test.support.ts';
import { identityProvider, legAt, sendJson, webServer } from '../program/outside-world.test.support.ts';
import { clientFiles, forwardProxy, mutualTlsService, pemOf, pemPath } from './remote-servers.test.support.ts';

/** Every secret contains this, except the signing key, which is Base64 of it. */
const canary = 'canary0secret0canary0secret0c4na';
const signingKey = Buffer.from(canary).toString('base64');
const keyLines = ['client-1', 'server'] as const;

const secretsIn = (output: string): readonly string[] =>
  [canary, signingKey, ...keyLines.map((name) => /PRIVATE KEY-----\n(.+)\n/.exec(pemOf(name))?.[1] ?? '')].filter(
    (secret) => output.includes(secret),
  );

/** Sends a request to a server with the certificate of service.test. Returns status and body. */
const send = async (url: string, token: string, method = 'GET', body = '') => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = request(url, { method, headers, ca: pemOf('ca'), servername: 'service.test', agent: false }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks = (await response.toArray()) as Buffer[];
  return { status: response.statusCode, body: Buffer.concat(chunks).toString() };
};

it('a secret is never shown by config print, config check, doctor, a response, a metric, the log or a crash', async (test) => {
  const identity = await identityProvider(test);
  const service = await mutualTlsService();
  const network = await webServer(test, (response) => sendJson(response, { message: { catalog: {} } }));
  const proxy = await forwardProxy();
  const redisUrl = fileWith(test, `redis://:${canary}@127.0.0.1:1\n`);
  const signing = { subscriberId: 'bap.example', uniqueKeyId: 'k1', privateKey: { env: 'SIGNING_KEY' } };
  const settings = {
    listen: { port: 0, tls: { certFile: pemPath('server'), keyFile: pemPath('server') } },
    identity: { issuer: identity.issuer },
    downstreams: { claims: { url: `https://service.test:${service.port}`, tls: clientFiles('client-1') } },
    search: { legs: { mh: legAt(network.url, { signing }) } },
    proxy: proxy.url.replace('//', `//${canary}:${canary}@`),
    redis: { url: { file: redisUrl } },
    metrics: { port: 0 },
  };
  const env = { PORTICO_CONFIG: fileWith(test, JSON.stringify(settings)), SIGNING_KEY: signingKey };
  for (const command of ['config print', 'config print --json', 'config check --json', 'doctor --json']) {
    const { stdout, stderr } = await portico(test, command, { env });
    expect([command, secretsIn(stdout + stderr)]).toEqual([command, []]);
    expect(stdout).not.toBe('');
  }

  const crash = 'process.on("SIGUSR2", () => { throw new Error(process.env.SIGNING_KEY); })';
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(crash)}`;
  const server = startPortico(test, 'serve --verbose', { env: { ...env, NODE_OPTIONS } });
  const [, url = ''] = /portico listens on (https:\S+)/.exec(await server.until('stdout', /\n/)) ?? [];
  const [, metricsUrl = ''] =
    /"url":"(http[^"]+\/metrics)"/.exec(await server.until('stderr', /serving metrics.*\n/)) ?? [];
  const claims = await send(`${url}/me/claims`, identity.token());
  expect(claims).toMatchObject({ status: 200, body: expect.stringContaining('client-1') });
  const query = JSON.stringify({ persona: 'member', query: 'dental', user_id: 'u-1' });
  const search = await send(`${url}/api/search`, identity.token(), 'POST', query);
  const metrics = await (await fetch(metricsUrl)).text();
  server.child.kill('SIGUSR2');
  const { exitCode, stdout, stderr } = await server.ended;

  expect(exitCode).toBe(1);
  expect(stderr).toContain('uncaught exception');
  expect(secretsIn([claims.body, search.body, metrics, stdout, stderr].join('\n'))).toEqual([]);
  expect(proxy.received).toContain(`CONNECT service.test:${service.port}`);
});
