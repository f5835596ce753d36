import type { ResultAsync } from 'neverthrow';
import type { DocumentConditions, DocumentResponse } from '../documents/documents.port.ts';
import type { ProfilePatch } from '../policy/policy.port.ts';
import type { Signal } from '../runtime/signal.ts';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json/json.ts';
import type { QueryByName, QueryInput } from '../shared/list-query.ts';
import type { Member } from '../shared/member.ts';
import type { OperationDeclaration, ServiceDeclaration } from './declaration.ts';

/** The statuses that a JSON response keeps. Any other 2xx becomes 200 (contract, section 8). */
export const keptStatuses = [200, 201, 202, 204] as const;

export type KeptStatus = (typeof keptStatuses)[number];

export const isKeptStatus = (status: number): status is KeptStatus =>
  (keptStatuses as readonly number[]).includes(status);

/** A JSON response of a service of your own. Default status: 200, or 204 without content. */
export interface ServiceResponse extends Json {
  readonly status?: KeptStatus;
}

type MethodOf<Operation extends OperationDeclaration> = Operation['route'] extends `${infer Method} ${string}`
  ? Method
  : never;

type ParametersIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParametersIn<Rest>
  : never;

type QueryName<Operation extends OperationDeclaration> = Operation extends { readonly query: readonly string[] }
  ? Declared<Operation['query'][number]>
  : never;

/** `never` for `string`, which is the type when nothing was declared. */
type Declared<Text extends string> = string extends Text ? never : Text;

type IsJson<Operation extends OperationDeclaration> = Operation extends { readonly type: string }
  ? Declared<Operation['type']> extends 'application/json'
    ? true
    : false
  : true;

/** The values of the route's parameters. */
type ParametersOf<Operation extends OperationDeclaration> = {
  readonly [Name in ParametersIn<Operation['route']>]: string;
};

type BodyOf<Operation extends OperationDeclaration> =
  MethodOf<Operation> extends 'POST' | 'PUT' | 'PATCH' ? { readonly body: Json } : unknown;

/** `ifMatch` is the entity tag of an earlier read (RFC 9110, section 13.1.1). */
type HeadersOf<Operation extends OperationDeclaration> =
  MethodOf<Operation> extends 'POST'
    ? { readonly idempotencyKey?: string | undefined }
    : MethodOf<Operation> extends 'GET'
      ? unknown
      : { readonly ifMatch?: string | undefined };

/** `mediaType` is that of the body. Default: JSON. The merge patch is that of RFC 7396. */
type MediaTypeOf<Operation extends OperationDeclaration> =
  MethodOf<Operation> extends 'PATCH' ? { readonly mediaType?: ProfilePatch['mediaType'] | undefined } : unknown;

/** `conditions` and `signal` of a streamed operation, as for documents. */
type StreamOf<Operation extends OperationDeclaration> =
  IsJson<Operation> extends true
    ? unknown
    : { readonly conditions?: DocumentConditions; readonly signal?: Signal | undefined };

type CommonOf<Operation extends OperationDeclaration> = BodyOf<Operation> &
  MediaTypeOf<Operation> &
  HeadersOf<Operation> &
  StreamOf<Operation>;

/** A validated request, as the port receives it. */
export type ServiceRequest<Operation extends OperationDeclaration> = CommonOf<Operation> & {
  readonly parameters: ParametersOf<Operation>;
  /** Declared parameters only, in order. `written` is the percent-encoded value of a URL, to be relayed byte for byte. */
  readonly query: readonly (readonly [name: QueryName<Operation>, value: string, written?: string])[];
};

/** A request that is not validated yet, as the use case receives it. */
export type ServiceInput<Operation extends OperationDeclaration> = CommonOf<Operation> &
  ([ParametersIn<Operation['route']>] extends [never]
    ? { readonly parameters?: ParametersOf<Operation> }
    : { readonly parameters: ParametersOf<Operation> }) & {
    /** Parameters by name, or as in the query of a URL. */
    readonly query?: QueryByName<QueryName<Operation>> | QueryInput;
  };

export type ServiceResult<Operation extends OperationDeclaration> = ResultAsync<
  IsJson<Operation> extends true ? ServiceResponse : DocumentResponse,
  Failure
>;

/**
 * The port of a declared service: one method per operation, each for one member. Fails `not-found` for what this member does
 * not have, even if another member has it. Writes are sent at most once.
 */
export type ServicePort<Declaration extends ServiceDeclaration> = {
  readonly [Name in keyof Declaration['operations']]: (
    member: Member,
    request: ServiceRequest<Declaration['operations'][Name]>,
  ) => ServiceResult<Declaration['operations'][Name]>;
};

/** The parts of any request, for code that serves every declaration. */
export interface AnyServiceRequest {
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string, written?: string])[];
  readonly body?: Json;
  readonly mediaType?: ProfilePatch['mediaType'] | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly ifMatch?: string | undefined;
  readonly conditions?: DocumentConditions;
  readonly signal?: Signal | undefined;
}
