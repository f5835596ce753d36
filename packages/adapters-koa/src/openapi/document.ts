import { options } from './answers.ts';
import { type Role, type RouteTable, routeTable } from '../routes/table.ts';
import { routesOf } from '../routing/route.ts';
import type { OpenApiDocument, Operation, PathItem } from './format.ts';
import { headers } from './headers.ts';
import { parameters, requestId } from './parameters.ts';
import { problemResponses, problemSchemas } from './problems.ts';

/** `memberRoutes`, `searchRoutes`, `callbackRoutes`, what every server of `createServer` has, and `openApiRoutes`. */
export type Documented = Role;

export interface OpenApiSettings {
  /** Of whatever serves the routes. */
  readonly version?: string | undefined;
  /** Which routes are there. Default: all of them. */
  readonly serves?: readonly Documented[];
}

/** The OpenAPI 3.1 document of these routes. */
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
  const told = JSON.stringify({ paths, responses });
  const mentioned = <Of>(kind: string, of: Readonly<Record<string, Of>>) =>
    Object.fromEntries(Object.entries(of).filter(([name]) => told.includes(`"#/components/${kind}/${name}"`)));
  return {
    openapi: '3.1.1',
    info: { title: 'Portico', version, description: descriptionOf(servesMembers) },
    servers: [{ url: '/' }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: {
      schemas: Object.assign({}, problemSchemas, ...groups.map(({ schemas }) => schemas)),
      responses,
      parameters: mentioned('parameters', parameters),
      headers: mentioned('headers', headers),
      securitySchemes: Object.fromEntries(
        Object.entries(securitySchemes).filter(([name]) => told.includes(`{"${name}":[]}`)),
      ),
    },
  };
};

const withRequestId = (operation: Operation): Operation => ({
  ...operation,
  parameters: [...(operation.parameters ?? []), requestId],
});

const descriptionOf = (servesMembers: boolean): string => [...general, ...(servesMembers ? underMe : [])].join('\n\n');

const general = [
  'A member portal’s backend for frontend, and a federated Beckn search. What is listed here is what this instance serves, as it serves it.',
  'Whatever goes wrong is told in problem details (RFC 9457), one of `components.responses` for each `code`. Only sellers are told in a NACK.',
  'Not repeated with every operation: `HEAD` gets the head of the answer to `GET`; `OPTIONS` on a route gets `options`; any other method `method-not-allowed`; any other path is a page’s, where pages are served, or `no-such-route`. Before all of these there may be `rate-limited` or `overloaded`. A request that is no good HTTP, or does not come to its end, is answered with `invalid-request`, `request-timeout`, `too-large` or `header-too-large`, whatever its path.',
];

const underMe = [
  'Under `/me` a problem is the one of `components.responses` whose name begins with `me.`: no cache may keep it.',
  'Bodies of downstream services are relayed byte for byte. Their schemas are recommendations, in the field’s conventions: FHIR R4, CARIN for Blue Button, X12 codes, ISO 8601 dates, ISO 4217 currencies. Nothing is required in them beyond what Portico itself relies on.',
];

const tags = [
  { name: 'eligibility', description: 'Coverage and accumulators.' },
  { name: 'claims', description: 'Claims and what became of them.' },
  { name: 'documents', description: 'Explanations of benefits, ID cards, policies.' },
  { name: 'policy', description: 'Party details.' },
  { name: 'notifications', description: 'Preferences, and what the member was told.' },
  { name: 'consent', description: 'What the member has agreed to.' },
  { name: 'search', description: 'Every network at once.' },
  { name: 'callbacks', description: 'For sellers and for whoever watches the search half.' },
  { name: 'operations', description: 'For whoever runs or uses the server. No token.' },
] as const;

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The member’s access token, in the header `Authorization` and nowhere else (RFC 6750, section 2.1). Whose data it is, is in the token: no route takes a member’s locator.',
  },
  signature: {
    type: 'http',
    scheme: 'signature',
    description: 'A Beckn signature over the bytes of the body (ed25519, BLAKE2b-512).',
  },
} as const;
