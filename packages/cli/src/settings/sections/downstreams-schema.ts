import { downstreamPaths, guardDefaults, httpDefaults, pathTemplateProblem } from '@portico/adapters-http';
import { z } from 'zod';
import { tls } from './connection-schema.ts';
import { baseUrl, checkedBy, integer, milliseconds, section } from '../setting-types.ts';
import { credentials, headers } from './credentials-schema.ts';
import { ownServiceShape } from './own-service-schema.ts';

/** The settings that every service has. */
const common = {
  url: baseUrl.describe('Base URL of the service'),
  timeoutMs: milliseconds
    .default(httpDefaults.timeoutMs)
    .describe('Timeout of one request to the service, in milliseconds'),
  maxInFlight: integer(1, 100_000)
    .default(guardDefaults.maxInFlight)
    .describe('Maximum number of concurrent requests to the service; a PDF counts until its last byte has arrived'),
  maxWaiting: integer(0, 1_000_000)
    .default(guardDefaults.maxWaiting)
    .describe('Maximum number of queued requests; members get 503 when the queue is full'),
  breakAfterFailures: integer(1, 1_000_000)
    .default(guardDefaults.breakAfterFailures)
    .describe(
      'Number of consecutive failures that open the circuit breaker. A 4xx response is not a failure; requests in flight at the first failure count as one failure with it',
    ),
  breakForMs: milliseconds
    .default(guardDefaults.breakForMs)
    .describe('How long the circuit breaker stays open, in milliseconds'),
  credentials,
  headers,
  tls,
};

const downstream = <Operation extends string>(defaultPaths: Readonly<Record<Operation, string>>) =>
  section({
    ...common,
    paths: section(templates(defaultPaths)).prefault({} as never),
  });

const templates = <Operation extends string>(defaultPaths: Readonly<Record<Operation, string>>) =>
  Object.fromEntries(
    Object.entries<string>(defaultPaths).map(([operation, path]) => [operation, template(path)]),
  ) as Record<Operation, ReturnType<typeof template>>;

const template = (defaultPath: string) =>
  checkedBy(z.string('must be a path'), (path) => pathTemplateProblem(path, defaultPath))
    .optional()
    .describe(`Default: ${defaultPath}`);

const builtIn = section({
  eligibility: downstream(downstreamPaths.eligibility).optional(),
  claims: downstream(downstreamPaths.claims).optional(),
  documents: downstream(downstreamPaths.documents).optional(),
  policy: downstream(downstreamPaths.policy).optional(),
  notifications: downstream(downstreamPaths.notifications).optional(),
  consent: downstream(downstreamPaths.consent).optional(),
});

const ownService = section({ ...common, ...ownServiceShape });

export type OwnServiceSettings = z.infer<typeof ownService>;

/** Every other name is a service of your own. The type has only the built-in services: `ownServices` reads the others. */
export const downstreams = builtIn.catchall(ownService) as unknown as typeof builtIn;
