import {
  type AnyServiceRequest,
  type DeclaredOperation,
  type DocumentResponse,
  type Failure,
  isJsonOperation,
  type ServiceDeclaration,
  type ServiceInput,
  type ServiceResponse,
  type ServiceResult,
  type Signal,
} from '@portico/core';
import type { ResultAsync } from 'neverthrow';
import type { ClientFailure } from '../failures/failure.ts';
import { filledPath } from '../paths.ts';
import type { Transport } from '../transport.ts';
import { requestJsonWithStatus, requestOf, stream } from './member-routes.ts';

type OperationOf<
  Declaration extends ServiceDeclaration,
  Name extends keyof Declaration['operations'],
> = Declaration['operations'][Name];

type Request<Operation extends DeclaredOperation> = ServiceInput<Operation> & { readonly signal?: Signal | undefined };

type Arguments<Input> = Partial<Input> extends Input ? [request?: Input] : [request: Input];

type ValueOf<Result> = Result extends ResultAsync<infer Value, Failure> ? Value : never;

/**
 * The calls of a declared service, one per operation, with the inputs of its use cases. A parameter that is empty or a dot
 * segment fails `invalid`, and nothing is sent. The server checks everything else.
 */
export type ServiceCalls<Declaration extends ServiceDeclaration> = {
  readonly [Name in keyof Declaration['operations']]: (
    ...request: Arguments<Request<OperationOf<Declaration, Name>>>
  ) => ResultAsync<ValueOf<ServiceResult<OperationOf<Declaration, Name>>>, ClientFailure>;
};

export const serviceCalls =
  (transport: Transport) =>
  <Declaration extends ServiceDeclaration>({ operations }: Declaration): ServiceCalls<Declaration> =>
    Object.fromEntries(
      Object.entries<DeclaredOperation>(operations).map(([name, operation]) => [name, callOf(transport, operation)]),
    ) as unknown as ServiceCalls<Declaration>;

type Value = ServiceResponse | DocumentResponse;

const callOf =
  (transport: Transport, operation: DeclaredOperation) =>
  ({ parameters = {}, ...request }: Partial<AnyServiceRequest> = {}): ResultAsync<Value, ClientFailure> =>
    filledPath(operation.memberPath, parameters).asyncAndThen<Value, ClientFailure>((path) =>
      isJsonOperation(operation)
        ? requestOf(operation.method, path, request).asyncAndThen((options) =>
            requestJsonWithStatus(transport, options),
          )
        : stream(transport, operation.method, path, { ...request, type: operation.type }),
    );
