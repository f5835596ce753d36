import type { DownstreamName } from '@portico/adapters-http';

/** A setting that has an environment variable and a flag: `IDENTITY_ISSUER`, `--identity-issuer`. */
export interface Variable {
  readonly env: string;
  /** None for what may hold a password: a command line is for all to read. */
  readonly flag: string | undefined;
  readonly paths: readonly (readonly string[])[];
  readonly help: string;
  readonly read: (text: string) => unknown;
}

const asText = (text: string): unknown => text;
/** What is not a number stays a text, for the schema to complain about. */
const asNumber = (text: string): unknown => (/^\d+$/.test(text.trim()) ? Number(text) : text);
const asList = (text: string): unknown =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const variable = (env: string, path: string, help: string, read = asText): Variable => ({
  env,
  flag: `--${env.toLowerCase().replaceAll('_', '-')}`,
  paths: [path.split('.')],
  help,
  read,
});

/** Written out, because the help must not wait for an HTTP client to load. */
const services = Object.keys({
  eligibility: true,
  claims: true,
  documents: true,
  policy: true,
  notifications: true,
  consent: true,
} satisfies Record<DownstreamName, true>) as DownstreamName[];

export const variables: readonly Variable[] = [
  variable('HOST', 'listen.host', 'address to listen on'),
  variable('PORT', 'listen.port', 'port to listen on', asNumber),
  variable('TRUSTED_PROXIES', 'listen.trustedProxies', 'proxies to believe, separated by commas', asList),
  variable('ROLES', 'roles', 'what to serve: member, search, callbacks', asList),
  variable('IDENTITY_ISSUER', 'identity.issuer', 'issuer of the access tokens'),
  variable('IDENTITY_AUDIENCE', 'identity.audience', 'audiences accepted, separated by commas', asList),
  variable('IDENTITY_JWKS_URL', 'identity.jwksUrl', "address of the issuer's keys"),
  variable('IDENTITY_TOKEN_URL', 'identity.tokenUrl', 'address where tokens are issued'),
  variable('LOCATOR_CLAIM', 'identity.locatorClaim', 'claim that holds the locator of the member'),
  ...services.map((name) =>
    variable(`${name.toUpperCase()}_URL`, `downstreams.${name}.url`, `base address of the ${name} service`),
  ),
  {
    ...variable('DOWNSTREAM_TIMEOUT_MS', '', 'deadline of one request to any service', asNumber),
    paths: services.map((name) => ['downstreams', name, 'timeoutMs']),
  },
  variable('SEARCH_TIMEOUT_MS', 'search.timeoutMs', 'how long a search waits for callbacks', asNumber),
  { ...variable('REDIS_URL', 'redis.url', ''), flag: undefined },
  variable('METRICS_HOST', 'metrics.host', 'address to serve metrics on'),
  variable('METRICS_PORT', 'metrics.port', 'port to serve metrics on', asNumber),
  variable('LOG_LEVEL', 'log.level', 'error, warn, info or silent'),
];
