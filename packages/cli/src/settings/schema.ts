import { httpDefaults } from '@portico/adapters-http';
import { isProxyNetwork, serverDefaults, serverRoles } from '@portico/adapters-koa/settings';
import { fromThrowable } from 'neverthrow';
import { z } from 'zod';
import { credentialProblems } from './sections/credentials-schema.ts';
import { downstreams } from './sections/downstreams-schema.ts';
import { listenTls, proxy, proxyVariableProblem, tlsProblems } from './sections/connection-schema.ts';
import { identity } from './sections/identity-schema.ts';
import { ownServiceProblems } from './sections/own-service-schema.ts';
import { pages } from './sections/pages-schema.ts';
import { session, sessionProblems } from './sections/session-schema.ts';
import { search } from './sections/search-schema.ts';
import { secretUrl } from './secrets.ts';
import { baseUrl, integer, milliseconds, nonEmptyArray, nonEmptyString, oneOf, section } from './setting-types.ts';
import { maxMilliseconds } from './variables.ts';
import type { WithoutNulls } from './without-nulls.ts';

const isOrigin = (value: string): boolean => /^https?:[^*]+$/.test(value) && URL.parse(value)?.origin === value;
const originMessage = 'must be an origin (scheme, host and port, without a path)';
const origin = z.string(originMessage).refine(isOrigin, originMessage);

const networkMessage =
  'must be an IP address such as 192.0.2.7, or a network such as 10.0.0.0/8; larger networks are not allowed';
const network = z.string(networkMessage).refine(isProxyNetwork, networkMessage);

const redisMessage = 'must be a redis or rediss URL';

/** The client of Redis throws for other URLs. */
const isRedisTarget = (value: string): boolean => {
  const { username, password, pathname } = new URL(value);
  return fromThrowable(decodeURIComponent)(`${username} ${password}`).isOk() && /^(?:\/\d*)?$/.test(pathname);
};

const redisUrl = z
  .url({ protocol: /^rediss?$/, error: redisMessage, abort: true })
  .refine(isRedisTarget, 'must have no path but a database number, such as /0, and each % in user and password as %25');

const rate = (client: string) =>
  section({
    requests: integer(1, 1_000_000_000).describe(`Maximum number of requests of ${client} in one window`),
    seconds: integer(1, 86_400).default(60).describe('Length of the window, in seconds'),
  });

const host = nonEmptyString('must be a host name or IP address').default('127.0.0.1');

/** All settings (contract, section 6). The member API is enabled when `identity` and a service are set. */
export const settingsSchema = section({
  listen: section({
    host: host.describe('Host name or IP address to listen on'),
    port: integer(0, 65_535).default(8080).describe('Port to listen on; 0: any free port'),
    trustedProxies: z
      .array(network, 'must be an array of IP addresses and networks')
      .default([])
      .describe('Proxies whose X-Forwarded-For is trusted: IP addresses and networks, such as 10.0.0.0/8'),
    reusePort: z
      .boolean('must be true or false')
      .default(false)
      .describe(
        'Share the port with other processes of the same user (SO_REUSEPORT): the system distributes connections. Linux, FreeBSD and AIX',
      ),
    tls: listenTls,
    publicUrl: baseUrl
      .nullable()
      .default(null)
      .describe(
        'URL under which clients reach this server, without /me; DPoP proofs must name it, and browser sessions redirect to it',
      ),
  }).prefault({}),
  roles: nonEmptyArray(oneOf(serverRoles), 'must be a non-empty array of roles')
    .default([...serverRoles])
    .describe(
      'Roles of this instance. member: /me/*; search: /api/search; callbacks: /on_search, /on_discover, /api/legs and /health',
    ),
  identity: identity
    .optional()
    .describe(
      'The identity provider that issues access tokens, or an array of several; the iss of a token selects one',
    ),
  downstreams: downstreams
    .optional()
    .describe(
      'The services behind the member API: eligibility, claims, documents, policy, notifications, consent, and services of your own by name. The routes of a service without settings return 404',
    ),
  proxy,
  limits: section({
    maxRequestBytes: integer(1, 104_857_600)
      .default(serverDefaults.maxRequestBytes)
      .describe('Maximum size of a request body, in bytes'),
    maxResponseBytes: integer(1, 1_073_741_824)
      .default(httpDefaults.maxResponseBytes)
      .describe('Maximum size of a JSON response of a downstream service, in bytes'),
    maxCallbackBytes: integer(1, 104_857_600)
      .default(serverDefaults.maxCallbackBytes)
      .describe('Maximum size of a search callback, in bytes'),
    memberRequests: rate('a member')
      .nullable()
      .default({ requests: 600, seconds: 60 })
      .describe('Rate limit per member; null: no limit'),
    addressRequests: rate('an IP address')
      .nullable()
      .default(null)
      .describe('Rate limit per client IP address; behind a proxy, set listen.trustedProxies too; null: no limit'),
  }).prefault({}),
  connections: section({
    headersTimeoutMs: milliseconds
      .default(serverDefaults.headersTimeoutMs)
      .describe('Maximum time to receive the header of a request, in milliseconds'),
    requestTimeoutMs: milliseconds
      .default(serverDefaults.requestTimeoutMs)
      .describe('Maximum time to receive a whole request, in milliseconds'),
    idleTimeoutMs: milliseconds
      .default(serverDefaults.idleTimeoutMs)
      .describe(
        'Maximum time without any traffic on a connection during a request, in milliseconds; raised automatically when a search or a service may take longer',
      ),
    keepAliveTimeoutMs: milliseconds
      .default(serverDefaults.keepAliveTimeoutMs)
      .describe(
        'How long an idle connection is kept open for the next request, in milliseconds; must be longer than the keep-alive time of a load balancer in front',
      ),
    maxConnections: integer(1, 1_000_000)
      .default(serverDefaults.maxConnections)
      .describe('Maximum number of concurrent connections'),
    maxHeaderBytes: integer(1024, 1_048_576)
      .default(serverDefaults.maxHeaderBytes)
      .describe('Maximum size of the header of a request, in bytes'),
    drainDelayMs: integer(0, maxMilliseconds)
      .default(0)
      .describe('How long requests are still accepted after SIGTERM while /readyz returns 503, in milliseconds'),
  }).prefault({}),
  search: search
    .prefault({})
    .describe('Search on several Beckn networks at once. Each network is a leg; search is enabled when legs are set'),
  session,
  pages: pages.prefault({}).describe('The web pages of the member portal; they require the identity section'),
  cors: section({
    origins: z
      .array(origin, 'must be an array of origins')
      .default([])
      .describe('Origins that may send cross-origin requests, such as https://portal.example'),
  }).prefault({}),
  redis: section({
    url: secretUrl(redisUrl, redisMessage)
      .nullable()
      .default(null)
      .describe(
        'Redis that several instances share, for search callbacks, rate limits, used DPoP proofs and browser sessions; null: single instance',
      ),
  }).prefault({}),
  metrics: section({
    host: host.describe('Host name or IP address of the metrics listener'),
    port: integer(0, 65_535)
      .nullable()
      .default(null)
      .describe('Port of GET /metrics, for Prometheus; 0: any free port, null: no metrics'),
  }).prefault({}),
  log: section({
    level: oneOf(['error', 'warn', 'info', 'silent'])
      .default('info')
      .describe('Minimum level of log lines on stderr; silent: no log'),
  }).prefault({}),
  $schema: z
    .string('must be a string')
    .optional()
    .describe('Where editors find the JSON Schema of this file; Portico ignores it'),
}).superRefine(
  ({ listen, pages, session, identity, downstreams, search, roles, redis, proxy, connections }, context) => {
    const addProblem = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', message, path });
    const proxyProblem = proxyVariableProblem(proxy);
    if (proxyProblem !== undefined) addProblem(proxyProblem, 'proxy');
    if (pages?.directory && identity === undefined)
      addProblem('requires identity, where members sign in', 'pages', 'directory');
    for (const { message, path } of [
      ...credentialProblems(identity, downstreams),
      ...ownServiceProblems(downstreams),
      ...tlsProblems(downstreams),
    ])
      addProblem(message, ...path);
    const providers = [identity].flat();
    const issuers = providers.map((provider) => provider?.issuer);
    for (const [index, issuer] of issuers.entries())
      if (issuer !== undefined && issuers.indexOf(issuer) !== index)
        addProblem('must differ from the issuers before it', 'identity', String(index), 'issuer');
    const acceptsDpop = providers.some((provider) => provider?.dpop === 'accept' || provider?.dpop === 'require');
    if (acceptsDpop && listen?.publicUrl === null)
      addProblem('requires the URL under which clients reach this server, because of dpop', 'listen', 'publicUrl');
    const found = sessionProblems({
      session,
      providers: identity === undefined ? [] : providers,
      publicUrl: listen?.publicUrl,
      redisUrl: redis?.url,
      maxHeaderBytes: connections?.maxHeaderBytes,
    });
    for (const { message, path } of found) addProblem(message, ...path);
    const hasRole = (role: 'search' | 'callbacks') => Array.isArray(roles) && roles.includes(role);
    if (search?.legs && hasRole('search') !== hasRole('callbacks') && redis?.url === null)
      addProblem('requires redis.url when search and callbacks run on different instances', 'roles');
    if (search?.legs && hasRole('search') && listen?.reusePort && redis?.url === null)
      addProblem('requires redis.url: a callback may reach another process', 'listen', 'reusePort');
  },
  { when: ({ value }) => typeof value === 'object' && value !== null },
);

/** The settings as a program uses them: what is not set is absent. */
export type Settings = WithoutNulls<z.infer<typeof settingsSchema>>;
