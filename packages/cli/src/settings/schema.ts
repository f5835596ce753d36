import {
  becknSigner,
  downstreamPaths,
  guardDefaults,
  httpDefaults,
  identityDefaults,
  pathTemplateProblem,
  searchTransportDefaults,
  signatureAlgorithms,
  type SigningSettings,
} from '@portico/adapters-http';
import { isProxyNetwork } from '@portico/adapters-koa/network';
import { searchDefaults } from '@portico/core';
import { z } from 'zod';

/** Every check says what would be right, so that a problem can be mended without the manual. */
const text = (what: string) => z.string(what).min(1, what);
const anyUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
/** `fetch` refuses an address with credentials, and would only say so at the first request. */
const url = anyUrl.refine(
  (value) => !URL.canParse(value) || (new URL(value).username === '' && new URL(value).password === ''),
  'must be a URL without user and password',
);
const whole = (least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.int(error).min(least, error).max(most, error);
};
const section = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? `is not a setting; known here: ${Object.keys(shape).join(', ')}`
        : 'must be an object',
  });
const choice = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, `must be one of ${values.join(', ')}`);
const list = <Item extends z.ZodType>(item: Item, what: string) => z.array(item, what).min(1, what);

const baseUrl = url.refine((value) => !/[?#]/.test(value), 'must be a base URL, without query and fragment');

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
const milliseconds = whole(1, 600_000);

const signerId = 'must be 1 to 255 visible ASCII characters without quote, backslash and bar';
const signingKey = 'must be base64 of a 32-byte Ed25519 seed, or of 64 bytes: the seed and its public key';

/** Whether the rest, which is good, could sign with this part. */
const canSign = (part: Partial<SigningSettings>): boolean => {
  try {
    becknSigner({ subscriberId: 's', uniqueKeyId: 'k', privateKey: Buffer.alloc(32).toString('base64'), ...part });
    return true;
  } catch {
    return false;
  }
};

const leg = section({
  label: text('must be a text').describe('What people call this network'),
  domain: text('must be a text').describe('context.domain of the envelope'),
  version: text('must be a text').describe('context.version of the envelope'),
  city: text('must be a text').describe('context.city of the envelope'),
  categoryCode: text('must be a text').describe('Category code of the intent'),
  bapId: text('must be a text').describe('Our subscriber id on this network'),
  bapUri: anyUrl.describe('Where the seller calls back, passed on untouched'),
  gatewayUrl: baseUrl.describe('Base address that the envelope is posted to'),
  gatewayPath: z
    .string('must be a path')
    .startsWith('/', 'must be a path')
    .default('/search')
    .describe('Path under gatewayUrl that takes a search'),
  ttl: z.iso.duration('must be an ISO 8601 duration').default('PT10M').describe('context.ttl of the envelope'),
  extraContext: z
    .record(z.string(), z.unknown().describe('Any JSON'), 'must be an object')
    .optional()
    .describe('Fields that this network wants in the context beside the usual ones'),
  signing: section({
    subscriberId: z
      .string(signerId)
      .refine((subscriberId) => canSign({ subscriberId }), signerId)
      .describe('Our subscriber id in the registry'),
    uniqueKeyId: z
      .string(signerId)
      .refine((uniqueKeyId) => canSign({ uniqueKeyId }), signerId)
      .describe('Which of our keys this is'),
    privateKey: z
      .string(signingKey)
      .refine((privateKey) => canSign({ privateKey }), signingKey)
      .describe('Base64 of the 32-byte seed, or of seed and public key'),
  })
    .optional()
    .describe('How we sign on this leg; envelopes go unsigned without it'),
  verifyCallbacks: z
    .boolean('must be true or false')
    .default(false)
    .describe('Take only callbacks whose signature the registry vouches for'),
});

/** Of what may not be a leg at all: all problems are said at once. */
const verifies = (leg: unknown): boolean =>
  typeof leg === 'object' && leg !== null && 'verifyCallbacks' in leg && leg.verifyCallbacks === true;

const search = section({
  timeoutMs: milliseconds.default(searchDefaults.timeoutMs).describe('How long a search waits for callbacks'),
  ackTimeoutMs: milliseconds
    .default(searchTransportDefaults.ackTimeoutMs)
    .describe('How long a seller may take to acknowledge'),
  maxPending: whole(1, 10_000_000).default(searchDefaults.maxPending).describe('How many legs may be pending at once'),
  personas: list(text('must be a text'), 'must be a list of texts, or null')
    .nullable()
    .default(null)
    .describe('Personas that may search; null: any'),
  legs: z
    .record(z.string().regex(/^(?!(?:elapsed_ms|errors|traces|__proto__)$)[A-Za-z0-9_-]{1,32}$/), leg, {
      error: ({ code }) =>
        code === 'invalid_key'
          ? 'is not an id for a leg: 1 to 32 letters, digits, _ and -, not elapsed_ms, errors or traces'
          : 'must be an object',
    })
    .refine((legs) => Object.keys(legs).length > 0, 'must have at least one leg')
    .optional()
    .describe('The networks, by id'),
  registryUrl: baseUrl.nullable().default(null).describe("Where sellers' keys are looked up, for verifyCallbacks"),
}).superRefine(
  ({ legs, registryUrl }, context) => {
    if (registryUrl === null && Object.values(legs ?? {}).some(verifies))
      context.addIssue({
        code: 'custom',
        message: 'must be set when a leg has verifyCallbacks',
        path: ['registryUrl'],
      });
  },
  // Asked also when something else is wrong.
  { when: ({ value }) => typeof value === 'object' && value !== null },
);

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
    maxRequestBytes: bytes(104_857_600).default(262_144).describe('The largest request body taken'),
    maxResponseBytes: bytes(1_073_741_824)
      .default(httpDefaults.maxResponseBytes)
      .describe('The largest JSON answer of a downstream taken'),
    maxCallbackBytes: bytes(104_857_600).default(5_242_880).describe('The largest search callback taken'),
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
    headersTimeoutMs: milliseconds.default(10_000).describe('How long a client may take to send a header'),
    requestTimeoutMs: milliseconds.default(30_000).describe('How long a client may take to send a whole request'),
    idleTimeoutMs: milliseconds
      .default(60_000)
      .describe(
        'How long a connection may move no byte while it is served; searches and services are waited for longer',
      ),
    keepAliveTimeoutMs: milliseconds
      .default(65_000)
      .describe('How long a connection is kept for the next request; more than a load balancer in front keeps it'),
    maxConnections: whole(1, 1_000_000).default(16_000).describe('How many connections there may be at once'),
    maxHeaderBytes: whole(1024, 1_048_576).default(16_384).describe('The largest header of a request taken'),
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
