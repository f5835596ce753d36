import { builtInServices } from './built-in-services.ts';

/** An environment variable and flag that set a setting: `IDENTITY_ISSUER`, `--identity-issuer`. */
export interface Variable {
  readonly env: string;
  /** Undefined for settings that may contain a password: other users can read a command line. */
  readonly flag: string | undefined;
  readonly paths: readonly (readonly string[])[];
  readonly help: string;
  readonly read: (value: string) => unknown;
}

/** The longest duration that a setting or an option may have. Here, because the help must not load the schema. */
export const maxMilliseconds = 600_000;

const asString = (value: string): unknown => value;
/** Keeps the string when it is not a number: the schema reports it. */
const asNumber = (value: string): unknown => (/^\d+$/.test(value.trim()) ? Number(value) : value);
const asArray = (value: string): unknown =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const variable = (env: string, path: string, help: string, read = asString): Variable => ({
  env,
  flag: `--${env.toLowerCase().replaceAll('_', '-')}`,
  paths: [path.split('.')],
  help,
  read,
});

export const variables: readonly Variable[] = [
  variable('HOST', 'listen.host', 'host name or IP address to listen on'),
  variable('PORT', 'listen.port', 'port to listen on', asNumber),
  variable('TRUSTED_PROXIES', 'listen.trustedProxies', 'trusted proxies, comma-separated', asArray),
  variable('ROLES', 'roles', 'roles of this instance, comma-separated: member, search, callbacks', asArray),
  variable('IDENTITY_ISSUER', 'identity.issuer', 'issuer of the access tokens'),
  variable('IDENTITY_AUDIENCE', 'identity.audience', 'accepted audiences, comma-separated', asArray),
  variable('IDENTITY_JWKS_URL', 'identity.jwksUrl', 'URL of the JSON Web Key Set'),
  variable('IDENTITY_TOKEN_URL', 'identity.tokenUrl', 'URL of the token endpoint'),
  variable(
    'IDENTITY_TIMEOUT_MS',
    'identity.timeoutMs',
    'timeout of one request to the identity provider, in milliseconds',
    asNumber,
  ),
  variable('LOCATOR_CLAIM', 'identity.locatorClaim', 'claim with the member locator'),
  ...builtInServices.map((name) =>
    variable(`${name.toUpperCase()}_URL`, `downstreams.${name}.url`, `base URL of the ${name} service`),
  ),
  {
    ...variable('DOWNSTREAM_TIMEOUT_MS', '', 'timeout of one request to any service, in milliseconds', asNumber),
    paths: builtInServices.map((name) => ['downstreams', name, 'timeoutMs']),
  },
  variable('SEARCH_TIMEOUT_MS', 'search.timeoutMs', 'how long a search waits for callbacks, in milliseconds', asNumber),
  { ...variable('REDIS_URL', 'redis.url', ''), flag: undefined },
  variable('METRICS_HOST', 'metrics.host', 'host name or IP address of the metrics listener'),
  variable('METRICS_PORT', 'metrics.port', 'port of the metrics listener', asNumber),
  variable('LOG_LEVEL', 'log.level', 'minimum log level: error, warn, info or silent'),
];
