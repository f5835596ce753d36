import { partName, type ServiceDeclaration, type ServiceName, serviceNames } from '@portico/core';
import { type Role, type RouteTable, routeTable } from '../routes/table.ts';
import { ownServiceRoutes } from '../routing/own-service-routes.ts';
import { type Grouped, groupsOf } from '../routing/route.ts';
import { referencedComponents } from '../openapi/components.ts';
import type { OpenApiDocument, Operation, PathItem, Schema } from '../openapi/format.ts';
import { headers } from '../openapi/headers.ts';
import { type DocumentedPart, meOperation, pageSchema } from '../openapi/me-operation.ts';
import { parameters, requestId } from '../openapi/parameters.ts';
import { problemResponses, problemSchemas } from '../openapi/problems.ts';

export interface OpenApiSettings {
  /** Version of the server, for `info.version`. Default: `unknown`. */
  readonly version?: string | undefined;
  /** Groups of routes to document. Default: all of them. */
  readonly serves?: readonly Role[];
  /** Services whose member routes to document. Default: all of them. */
  readonly services?: readonly ServiceName[];
  /** Services of your own whose routes to document. Default: none. */
  readonly ownServices?: readonly ServiceDeclaration[];
}

/** Creates the OpenAPI 3.1 document of these routes. */
export const openApiDocument = (
  {
    version = 'unknown',
    serves = Object.keys(routeTable) as Role[],
    services = serviceNames,
    ownServices = [],
  }: OpenApiSettings = {},
  table: RouteTable = routeTable,
): OpenApiDocument => {
  const own = serves.includes('member') ? ownServices : [];
  const builtIn = serves.flatMap((role) => [...table[role]]);
  const groups = groupsOf<Grouped>(
    builtIn,
    services,
    own.map((declaration) => ownServiceRoutes({ declaration })),
  );
  const parts = partsIn(groups);
  const paths: Record<`/${string}`, PathItem> = {};
  for (const { composesReads, routes } of groups)
    for (const { method, path, operation, isAlias } of routes)
      if (!isAlias)
        paths[path] = {
          ...paths[path],
          [method.toLowerCase()]: withRequestId(composesReads ? meOperation(parts) : operation),
        };
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const usedTags = new Set<string>(operations.flatMap(({ tags }) => tags));
  const usedSchemes = new Set(operations.flatMap(({ security }) => security.flatMap(Object.keys)));
  const components = referencedComponents(paths, {
    schemas: Object.assign({}, problemSchemas(own.map(({ name }) => name)), ...groups.map(({ schemas }) => schemas), {
      MemberPage: pageSchema(parts),
    }) as Record<string, Schema>,
    responses: { ...problemResponses(''), ...problemResponses('me.') },
    parameters,
    headers,
  });
  return {
    openapi: '3.1.1',
    info: {
      title: 'Portico',
      version,
      description: [...about, ...(serves.includes('member') ? [aboutMemberApi] : [])].join('\n\n'),
      contact: { name: 'The operator of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...tags, ...own.map(tagOf)].filter(({ name }) => usedTags.has(name)),
    paths,
    components: {
      ...components,
      securitySchemes: Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => usedSchemes.has(name))),
    },
  };
};

/** The parts of `GET /me`. */
const partsIn = (groups: readonly Grouped[]): readonly DocumentedPart[] =>
  groups
    .flatMap(({ routes }) => routes)
    .flatMap(({ path, operation, read }) => (read ? [{ name: partName(path), operation }] : []));

const withRequestId = (operation: Operation): Operation => ({
  ...operation,
  parameters: [...(operation.parameters ?? []), requestId],
});

const about = [
  'A backend for member portals, with a search over Beckn networks. This document lists exactly the operations that this instance serves, except those of browser sessions.',
  'Errors are problem details (RFC 9457); programs should use their `code`. Only `/on_search` and `/on_discover` return a NACK instead.',
  'Every path also supports `OPTIONS`, and `HEAD` where it supports `GET`. Another method returns 405 `method-not-allowed`. An unknown path returns 404 `no-such-route`, or a page if pages are served.',
  'Any request can be refused before it reaches an operation: 400 `invalid-request`, 408 `request-timeout`, 413 `too-large`, 429 `rate-limited`, 431 `header-too-large` or 503 `overloaded`.',
];

const aboutMemberApi =
  'Responses under `/me` must not be cached. Bodies of downstream services are relayed byte for byte. Their schemas are recommended (FHIR R4, CARIN for Blue Button, X12 codes, ISO 8601 dates, ISO 4217 currencies): no field is required, and others may be present.';

const tags = [
  { name: 'page', description: 'The resources of a whole page in one request.' },
  { name: 'eligibility', description: 'Coverage and accumulators.' },
  { name: 'claims', description: 'Claims and their adjudication.' },
  { name: 'documents', description: 'Explanations of benefits, ID cards and policies, as PDFs.' },
  { name: 'policy', description: 'The member’s profile (party details).' },
  { name: 'notifications', description: 'Notification preferences, notifications and the delivery log.' },
  { name: 'consent', description: 'The member’s consent state.' },
  { name: 'search', description: 'Federated search across all configured networks.' },
  { name: 'callbacks', description: 'Callbacks from sellers, and the health and configuration of the search API.' },
  { name: 'operations', description: 'Probes and API documentation. No token required.' },
] as const;

const tagOf = ({ name }: ServiceDeclaration) => ({ name, description: `The service ${name} of the operator.` });

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The member’s access token in the header `Authorization` (RFC 6750, section 2.1), or with the scheme `DPoP` and a proof in the header `DPoP` where DPoP is enabled (RFC 9449). The token identifies the member; no route has a parameter for it.',
  },
  signature: {
    type: 'http',
    scheme: 'signature',
    description: 'A Beckn signature of the request body (ed25519, BLAKE2b-512), in the header `Authorization`.',
  },
} as const;
