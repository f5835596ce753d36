import { readFileSync } from 'node:fs';
import {
  clientAuthenticationMethods,
  downstreamPaths,
  headerProblems,
  privateKeyProblem,
} from '@portico/adapters-http';
import { z } from 'zod';
import { secret } from '../secrets.ts';
import {
  aString,
  checkedBy,
  fieldsOf,
  nonEmptyString,
  oneOf,
  type Problem,
  scope,
  section,
  unreadableFile,
} from '../setting-types.ts';

/** RFC 8693, section 2.1: also an identifier that is no http URL, such as a URN. */
const resource = z
  .url('must be an absolute URI')
  .refine((uri) => !uri.includes('#'), 'must be an absolute URI without a fragment');

const tokenExchange = section({
  kind: z.literal('token-exchange'),
  audience: aString.optional(),
  resource: resource.optional(),
  scope: scope.optional(),
});

const clientCredentials = section({
  kind: z.literal('client-credentials'),
  scope: scope.optional(),
  audience: aString.optional(),
});

const credentialsMessage =
  'must be "member-token", "none", or an object with the kind "token-exchange" (and optionally audience, resource and scope) or "client-credentials" (and optionally scope and audience)';

/** How requests to a service are authorized (contract, section 9). */
export const credentials = z
  .union([z.enum(['member-token', 'none']), tokenExchange, clientCredentials], credentialsMessage)
  .default('member-token')
  .describe(
    "Authorization of requests to the service: `member-token` (the member's own token), `none`, or an object. `kind: token-exchange` (`audience`, `resource`, `scope`) exchanges the member's token for one of the service; `kind: client-credentials` (`scope`, `audience`) uses a token of Portico",
  );

export type CredentialsSetting = z.infer<typeof credentials>;

/** Additional headers of requests to a service. */
export const headers = z
  .record(z.string(), secret.describe('Value of this header; never printed'), 'must be an object')
  .superRefine(
    (fields, context) => {
      for (const [name, message] of headerProblems(fields))
        context.addIssue({ code: 'custom', message, path: [name], input: undefined });
    },
    // Also beside a value that cannot be read: all problems are reported at once.
    { when: ({ value }) => typeof value === 'object' && value !== null },
  )
  .optional()
  .describe('Headers sent with each request to the service, such as an API key, by name. Each value is a secret');

const privateKeyFile = checkedBy(nonEmptyString('must be the path of a file'), (path) => {
  try {
    return privateKeyProblem(readFileSync(path, 'utf8'));
  } catch {
    return unreadableFile;
  }
});

/** How a client authenticates: by default with its key, or else with its secret. */
export const methodOf = ({ method, privateKeyFile }: Authentication) =>
  method ?? (privateKeyFile ? 'private_key_jwt' : 'client_secret_basic');

interface Authentication {
  readonly method?: (typeof clientAuthenticationMethods)[number] | undefined;
  readonly privateKeyFile?: string | undefined;
}

const clientMessage =
  'must have secret (for client_secret_basic and client_secret_post) or privateKeyFile (for private_key_jwt)';

/** Portico as a client of the identity provider. */
export const client = section({
  id: aString.describe('Client id of Portico at the identity provider'),
  secret: secret.optional().describe('Client secret. Never printed'),
  privateKeyFile: privateKeyFile
    .optional()
    .describe(
      'File with the private key in PEM (RSA, EC or Ed25519), relative to the working directory, read at start',
    ),
  method: oneOf(clientAuthenticationMethods)
    .optional()
    .describe('How Portico authenticates; default: client_secret_basic, with a key private_key_jwt'),
})
  .refine(({ secret, privateKeyFile, method }) => {
    const needsKey = methodOf({ method, privateKeyFile }) === 'private_key_jwt';
    return needsKey === (privateKeyFile !== undefined) && needsKey === (secret === undefined);
  }, clientMessage)
  .optional()
  .describe("Portico's own client at the provider, for browser sessions, token exchange and client credentials");

/** Problems of `credentials` with other settings, which may be invalid themselves. */
export const credentialProblems = (identity: unknown, downstreams: unknown): readonly Problem[] =>
  Object.entries(fieldsOf(downstreams)).flatMap(([service, settings]) => {
    const { credentials } = fieldsOf(settings);
    const kind = typeof credentials === 'string' ? credentials : fieldsOf(credentials)['kind'];
    const messages =
      typeof kind === 'string' ? [...clientProblems(kind, identity), ...pathProblems(kind, service, settings)] : [];
    return messages.map((message) => ({ message, path: ['downstreams', service, 'credentials'] }));
  });

/** Only the issuer of a member's token can exchange it; any issuer can issue Portico's own token. */
const clientProblems = (kind: string, identity: unknown): readonly string[] => {
  const hasClient = new Set([identity].flat().map((provider) => fieldsOf(provider)['client'] !== undefined));
  const isMissing =
    (kind === 'token-exchange' && hasClient.has(false)) || (kind === 'client-credentials' && !hasClient.has(true));
  return isMissing ? [`${kind} requires identity.client`] : [];
};

/** Without the member's token, only the path identifies the member. */
const pathProblems = (kind: string, service: string, settings: unknown): readonly string[] => {
  const missing = kind === 'none' || kind === 'client-credentials' ? pathsWithoutMember(service, settings) : [];
  return missing.length === 0
    ? []
    : [
        `${kind} requires {partyLocator} in every path, because the service cannot read the member from a token; missing in ${missing.join(', ')}`,
      ];
};

/** The settings of paths without the party locator, of a built-in service and of one with its own routes. */
const pathsWithoutMember = (service: string, settings: unknown): readonly string[] => {
  const { paths, routes } = fieldsOf(settings);
  const operations = { ...fieldsOf(fieldsOf(downstreamPaths)[service]), ...fieldsOf(paths) };
  return [
    ...Object.entries(operations).map(([operation, path]) => [`paths.${operation}`, path] as const),
    ...Object.entries(fieldsOf(routes)).map(
      ([route, declared]) => [`routes.${route}`, fieldsOf(declared)['path']] as const,
    ),
  ]
    .filter(([, path]) => typeof path === 'string' && !path.includes('{partyLocator}'))
    .map(([setting]) => setting);
};
