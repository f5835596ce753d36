import { options } from './responses.ts';
import { type Role, type RouteTable, routeTable } from '../routes/table.ts';
import { routesOf } from '../routing/route.ts';
import type { OpenApiDocument, Operation, PathItem } from './format.ts';
import { headers } from './headers.ts';
import { parameters, requestId } from './parameters.ts';
import { problemResponses, problemSchemas } from './problems.ts';

/** A group of routes: `memberRoutes`, `searchRoutes`, `callbackRoutes`, the probes of `createServer`, or `openApiRoutes`. */
export type Documented = Role;

export interface OpenApiSettings {
  /** Version of the server, for `info.version`. Default: `unknown`. */
  readonly version?: string | undefined;
  /** Groups of routes to document. Default: all of them. */
  readonly serves?: readonly Documented[];
}

/** Creates the OpenAPI 3.1 document of these routes. */
export const openApiDocument = (
  { version = 'unknown', serves = Object.keys(routeTable) as Role[] }: OpenApiSettings = {},
  table: RouteTable = routeTable,
): OpenApiDocument => {
  const groups = serves.flatMap((role) => [...table[role]]);
  const paths: Record<`/${string}`, PathItem> = {};
  for (const { method, path, operation } of routesOf(groups))
    paths[path] = { ...paths[path], [method.toLowerCase()]: withRequestId(operation) };
  const used = new Set(
    Object.values(paths).flatMap(({ get, post, put, patch }) =>
      [get, post, put, patch].flatMap((operation) => operation?.tags ?? []),
    ),
  );
  const servesMembers = serves.includes('member');
  const responses = { ...problemResponses(''), ...(servesMembers && problemResponses('me.')), options };
  const serialized = JSON.stringify({ paths, responses });
  const referenced = <Component>(kind: string, components: Readonly<Record<string, Component>>) =>
    Object.fromEntries(
      Object.entries(components).filter(([name]) => serialized.includes(`"#/components/${kind}/${name}"`)),
    );
  return {
    openapi: '3.1.1',
    info: { title: 'Portico', version, description: descriptionOf(servesMembers) },
    servers: [{ url: '/' }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: {
      schemas: Object.assign({}, problemSchemas, ...groups.map(({ schemas }) => schemas)),
      responses,
      parameters: referenced('parameters', parameters),
      headers: referenced('headers', headers),
      securitySchemes: Object.fromEntries(
        Object.entries(securitySchemes).filter(([name]) => serialized.includes(`{"${name}":[]}`)),
      ),
    },
  };
};

const withRequestId = (operation: Operation): Operation => ({
  ...operation,
  parameters: [...(operation.parameters ?? []), requestId],
});

const descriptionOf = (servesMembers: boolean): string =>
  [...about, ...(servesMembers ? aboutMemberApi : [])].join('\n\n');

const about = [
  'A backend for frontend for member portals, with a federated Beckn search. This document lists exactly the operations that this instance serves.',
  'Errors use problem details (RFC 9457); each `code` has a response in `components.responses`. `/on_search` reports errors with a NACK.',
  'The following responses apply to all routes and are not listed with each operation. `HEAD` returns the headers of `GET`. `OPTIONS` returns `options`. Any other method returns `method-not-allowed`. Any other path returns a page, if pages are served, or `no-such-route`. Every request can be refused with `rate-limited` or `overloaded`. A malformed or incomplete HTTP request returns `invalid-request`, `request-timeout`, `too-large` or `header-too-large`.',
];

const aboutMemberApi = [
  'Problems under `/me` are the responses in `components.responses` whose names begin with `me.`; they must not be cached.',
  'Response bodies of downstream services are relayed byte for byte. Their schemas are recommendations that follow FHIR R4, CARIN for Blue Button, X12 codes, ISO 8601 dates and ISO 4217 currencies. Only fields that Portico itself uses are required.',
];

const tags = [
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

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The member’s access token in the header `Authorization` (RFC 6750, section 2.1). The token identifies the member; no route has a parameter for it.',
  },
  signature: {
    type: 'http',
    scheme: 'signature',
    description: 'A Beckn signature of the request body (ed25519, BLAKE2b-512), in the header `Authorization`.',
  },
} as const;
