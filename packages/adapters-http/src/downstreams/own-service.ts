import {
  type AnyServiceRequest,
  type DeclaredOperation,
  type DocumentResponse,
  type Failure,
  invalid,
  isJsonOperation,
  isLocator,
  type Json,
  type Member,
  type ServiceDeclaration,
  type ServicePort,
  type ServiceResponse,
} from '@portico/core';
import { errAsync, type ResultAsync } from 'neverthrow';
import { serviceClient, type ServiceSettings } from './downstream.ts';

/**
 * A declared service over HTTP. It has the deadline, circuit breaker, limits, retries of GET, trace headers and failures of
 * the built-in services; failures have the name of the declaration as `service`.
 */
export const httpService = <Declaration extends ServiceDeclaration>(
  { name, operations }: Declaration,
  settings: ServiceSettings,
): ServicePort<Declaration> => {
  const all = Object.entries<DeclaredOperation>(operations);
  const client = serviceClient(
    name,
    settings,
    all.map(([operation, { path }]) => [operation, path]),
  );
  const calls = all.map(([operation, declared]) => [operation, callOf(client, operation, declared)]);
  return Object.fromEntries(calls) as ServicePort<Declaration>;
};

type Call = (member: Member, request: AnyServiceRequest) => ResultAsync<ServiceResponse | DocumentResponse, Failure>;

const callOf = (client: ReturnType<typeof serviceClient>, operation: string, declared: DeclaredOperation): Call => {
  const { method, parameters, type } = declared;
  const send: Call = (member, request) => {
    if (!isJsonOperation(declared))
      return client.stream(method, operation, member, { ...request, keepsStatus: true }, type);
    const response: ResultAsync<Json, Failure> = client.send(method, operation, member, request);
    return response;
  };
  return (member, request) => {
    // The use cases have checked this; a port may also be called without them. A wrong value could leave the path.
    const wrong = parameters.find((name) => !isLocator(request.parameters[name]));
    return wrong === undefined
      ? send(member, request)
      : errAsync(invalid('A parameter in the path is not valid.', { path: `/${wrong}`, message: 'is not valid' }));
  };
};
