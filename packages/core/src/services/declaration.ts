import type { ParsedRoute, RouteKey } from './route.ts';

/** One operation of a service of your own: a member route, and the request to the service (contract, section 8). */
export interface OperationDeclaration {
  /** The member route, such as `GET /me/authorizations/{locator}`. */
  readonly route: RouteKey;
  /**
   * The path at the service: literal segments, `{partyLocator}` once (unless the service reads the member from the token),
   * and each parameter of the route once.
   */
  readonly path: `/${string}`;
  /** The query parameters that are relayed. A request with another one fails `invalid`. Default: none. */
  readonly query?: readonly string[];
  /** The media type of the response. JSON, the default, is relayed byte for byte; any other type is streamed. */
  readonly type?: string;
  /** A sentence for the OpenAPI document. */
  readonly summary?: string;
  /** A JSON Schema (2020-12) of the response, for the OpenAPI document. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** The operations of a service, by name. */
export type OperationDeclarations = Readonly<Record<string, OperationDeclaration>>;

/** An operation with its defaults, and its route split. */
export interface DeclaredOperation extends OperationDeclaration {
  readonly method: ParsedRoute['method'];
  /** The path of the member route. */
  readonly memberPath: ParsedRoute['path'];
  readonly parameters: ParsedRoute['parameters'];
  readonly query: readonly string[];
  readonly type: string;
}

/**
 * A service of your own, as a value. The port, the use cases, the fake, the contract suite, the HTTP adapter, the routes and
 * the OpenAPI document are derived from it. Create it with `declareService`.
 */
export interface ServiceDeclaration<Operations extends OperationDeclarations = OperationDeclarations> {
  readonly name: string;
  /** Where the service reads the member: from `{partyLocator}` in the path, or from the member's token. */
  readonly memberFrom: 'path' | 'token';
  readonly operations: { readonly [Name in keyof Operations]: DeclaredOperation & Operations[Name] };
}

export interface DeclarationSettings {
  /** `token`: no path contains `{partyLocator}`, because the service reads the member from the token. Default `path`. */
  readonly memberFrom?: 'path' | 'token' | undefined;
}

export const jsonType = 'application/json';

/** Whether the response is relayed as JSON. Any other media type is streamed. */
export const isJsonOperation = ({ type }: Pick<DeclaredOperation, 'type'>): boolean => type === jsonType;

/** Whether the operation is a part of `GET /me` (contract, section 12): a JSON read without a parameter in its path. */
export const isPart = ({
  route,
  type = jsonType,
}: {
  readonly route: string;
  readonly type?: string | undefined;
}): boolean => route.startsWith('GET ') && !route.includes('{') && type === jsonType;

/** Whether requests have a JSON body. */
export const hasBody = ({ method }: Pick<DeclaredOperation, 'method'>): boolean =>
  method === 'POST' || method === 'PUT' || method === 'PATCH';
