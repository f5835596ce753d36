import {
  downstreamPaths,
  guardDefaults,
  httpDefaults,
  identityDefaults,
  pathTemplateProblem,
  signatureAlgorithms,
} from '@portico/adapters-http';
import { isProxyNetwork, serverDefaults } from '@portico/adapters-koa/settings';
import { z } from 'zod';
import { baseUrl, choice, list, milliseconds, section, text, url, whole } from './kinds.ts';
import { search } from './search-schema.ts';

const downstream = <Operation extends string>(usual: Readonly<Record<Operation, string>>) =>
  section({
    url: baseUrl.describe('Base address of the service'),
    timeoutMs: whole(1, 600_000)
      .default(httpDefaults.timeoutMs)
      .describe('Deadline of one request to it, in milliseconds'),
    maxInFlight: whole(1, 100_000)
      .default(guardDefaults.maxInFlight)
      .describe('How many requests to it may be in flight at once; a PDF is, until its last byte has arrived'),
    maxWaiting: whole(0, 1_000_000)
      .default(guardDefaults.maxWaiting)
      .describe('How many more may wait for their turn; beyond that members get 503'),
    breakAfterFailures: whole(1, 1_000_000)
      .default(guardDefaults.breakAfterFailures)
      .describe(
        'How many failures in a row open its circuit breaker. 4xx are none; those in flight at the first count as one with it',
      ),
    breakForMs: whole(1, 600_000)
      .default(guardDefaults.breakForMs)
      .describe('How long the breaker stays open, in milliseconds'),
    paths: section(templates(usual)).prefault({} as never),
  });

const templates = <Operation extends string>(usual: Readonly<Record<Operation, string>>) =>
  Object.fromEntries(Object.entries<string>(usual).map(([operation, path]) => [operation, template(path)])) as Record<
    Operation,
    ReturnType<typeof template>
  >;

const template = (usual: string) =>
  z
    .string('must be a path')
    .superRefine((path, context) => {
      const message = pathTemplateProblem(path, usual);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .optional()
    .describe(`Default: ${usual}`);

const identity = section({
  issuer: url.describe('The iss of every good token; discovery begins here'),
  audience: list(text('must be a text'), 'must be a list of at least one text')
    .default(['portico'])
    .describe('A good token names one of these as aud'),
  jwksUrl: url.nullable().default(null).describe('Where the keys are; discovered from the issuer when null'),
  tokenUrl: url.nullable().default(null).describe('Where tokens are issued; discovered from the issuer when null'),
  algorithms: list(choice(signatureAlgorithms), 'must be a list of at least one algorithm')
    .default([...identityDefaults.algorithms])
    .describe('Signature algorithms a token may use'),
  locatorClaim: text('must be auto or the name of a claim')
    .default('auto')
    .describe('The claim that holds the locator; auto: partyLocator when present, else sub'),
  clockToleranceSeconds: whole(0, 300)
    .default(identityDefaults.clockToleranceSeconds)
    .describe("How far the provider's clock may be off"),
  maxLifetimeSeconds: whole(1, 31_536_000)
    .default(identityDefaults.maxLifetimeSeconds)
    .describe('The longest life a token may have'),
  keyCacheSeconds: whole(1, 86_400)
    .default(identityDefaults.keyCacheSeconds)
    .describe('How long keys, and tokens verified with them, are relied on before they are asked for again'),
});

const downstreams = section({
  eligibility: downstream(downstreamPaths.eligibility),
  claims: downstream(downstreamPaths.claims),
  documents: downstream(downstreamPaths.documents),
  policy: downstream(downstreamPaths.policy),
  notifications: downstream(downstreamPaths.notifications),
  consent: downstream(downstreamPaths.consent),
});

const isOrigin = (value: string): boolean => /^https?:[^*]+$/.test(value) && URL.parse(value)?.origin === value;
const originMessage = 'must be an origin: scheme, host and port, without a path';
const origin = z.string(originMessage).refine(isOrigin, originMessage);

const networkMessage = 'must be an address such as 192.0.2.7, or a network such as 10.0.0.0/8, and no larger one';
const network = z.string(networkMessage).refine(isProxyNetwork, networkMessage);

const rate = (whose: string) =>
  section({
    requests: whole(1, 1_000_000_000).describe(`How often ${whose} may ask in one window`),
    seconds: whole(1, 86_400).default(60).describe('How long a window lasts'),
  });

const bytes = (most: number) => whole(1, most);

/** Every setting there is (contract, section 6). The member half runs when `identity` and `downstreams` are set. */
export const settingsSchema = section({
  listen: section({
    host: text('must be a host name or address').default('127.0.0.1').describe('Address to listen on'),
    port: whole(0, 65_535).default(8080).describe('Port to listen on; 0 takes any free one'),
    trustedProxies: z
      .array(network, 'must be a list of addresses and networks')
      .default([])
      .describe('Proxies whose X-Forwarded-For is believed: addresses and networks, such as 10.0.0.0/8'),
  }).prefault({}),
  roles: list(choice(['member', 'search', 'callbacks']), 'must be a list of at least one role')
    .default(['member', 'search', 'callbacks'])
    .describe('What this instance serves: /me/*, /api/search, or what sellers and probes ask'),
  identity: identity.optional().describe('The identity provider that issues access tokens'),
  downstreams: downstreams.optional().describe('The six services behind the member routes'),
  limits: section({
    maxRequestBytes: bytes(104_857_600)
      .default(serverDefaults.maxRequestBytes)
      .describe('The largest request body taken'),
    maxResponseBytes: bytes(1_073_741_824)
      .default(httpDefaults.maxResponseBytes)
      .describe('The largest JSON answer of a downstream taken'),
    maxCallbackBytes: bytes(104_857_600)
      .default(serverDefaults.maxCallbackBytes)
      .describe('The largest search callback taken'),
    memberRequests: rate('a member')
      .nullable()
      .default({ requests: 600, seconds: 60 })
      .describe('How often each member may ask; null: as often as it likes'),
    addressRequests: rate('an address')
      .nullable()
      .default(null)
      .describe(
        'How often each address may ask; behind a proxy set listen.trustedProxies first; null: as often as it likes',
      ),
  }).prefault({}),
  connections: section({
    headersTimeoutMs: milliseconds
      .default(serverDefaults.headersTimeoutMs)
      .describe('How long a client may take to send a header'),
    requestTimeoutMs: milliseconds
      .default(serverDefaults.requestTimeoutMs)
      .describe('How long a client may take to send a whole request'),
    idleTimeoutMs: milliseconds
      .default(serverDefaults.idleTimeoutMs)
      .describe(
        'How long a connection may move no byte while it is served; searches and services are waited for longer',
      ),
    keepAliveTimeoutMs: milliseconds
      .default(serverDefaults.keepAliveTimeoutMs)
      .describe('How long a connection is kept for the next request; more than a load balancer in front keeps it'),
    maxConnections: whole(1, 1_000_000)
      .default(serverDefaults.maxConnections)
      .describe('How many connections there may be at once'),
    maxHeaderBytes: whole(1024, 1_048_576)
      .default(serverDefaults.maxHeaderBytes)
      .describe('The largest header of a request taken'),
    drainDelayMs: whole(0, 600_000)
      .default(0)
      .describe('How long after SIGTERM everything is still served, while /readyz says no'),
  }).prefault({}),
  search: search.prefault({}).describe('Federated search; it runs when there are legs'),
  pages: section({
    directory: text('must be a folder, or null')
      .nullable()
      .default(null)
      .describe('Built pages to serve at /, relative to the working directory, read once at the start; null: none'),
    clientId: text('must be a text').default('portico-web').describe('Id of the pages at the identity provider'),
  })
    .prefault({})
    .describe('The pages of the member portal; they need identity'),
  cors: section({
    origins: z
      .array(origin, 'must be a list of origins')
      .default([])
      .describe('Origins whose pages may call from elsewhere, such as https://portal.example'),
  }).prefault({}),
  redis: section({
    url: z
      .url({ protocol: /^rediss?$/, error: 'must be a redis or rediss URL' })
      .nullable()
      .default(null)
      .describe('Where instances share what they wait for; null: one instance'),
  }).prefault({}),
  metrics: section({
    host: text('must be a host name or address').default('127.0.0.1').describe('Address to serve metrics on'),
    port: whole(0, 65_535)
      .nullable()
      .default(null)
      .describe('Port of GET /metrics, for Prometheus; 0 takes any free one, null: no metrics'),
  }).prefault({}),
  log: section({
    level: choice(['error', 'warn', 'info', 'silent']).default('info').describe('What is worth a line on stderr'),
  }).prefault({}),
}).superRefine(
  ({ pages, identity, search, roles, redis }, context) => {
    const complain = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', message, path });
    if (pages?.directory && identity === undefined)
      complain('needs identity, where members sign in', 'pages', 'directory');
    const isHalf = roles?.includes('search') !== roles?.includes('callbacks');
    if (search?.legs && isHalf && redis?.url === null)
      complain('search and callbacks apart find each other by Redis: set redis.url', 'roles');
  },
  { when: ({ value }) => typeof value === 'object' && value !== null },
);

export type Settings = z.infer<typeof settingsSchema>;
