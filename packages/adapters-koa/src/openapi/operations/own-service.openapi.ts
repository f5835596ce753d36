import { type DeclaredOperation, hasBody, isJsonOperation, type ServiceDeclaration } from '@portico/core';
import type { Operation, Parameter, Reference, Response, Schema } from '../format.ts';
import { headerRefs } from '../headers.ts';
import { idempotencyKey, ifMatch, pathParameter, queryParameter, useIfMatch } from '../parameters.ts';
import { bodyProblems, conditionProblems, memberProblems } from '../problems.ts';
import { anyObject, bearer, forwardedBody, noContent, relayed } from '../responses.ts';
import { documentConditions, streamedByService } from '../streamed-responses.ts';

/** The operation of the OpenAPI document for one operation of a declaration. */
export const ownServiceOperation = (
  declaration: ServiceDeclaration,
  name: string,
  operation: DeclaredOperation,
): Operation => {
  const isConditional = operation.method !== 'GET' && operation.method !== 'POST';
  return {
    operationId: operationIdOf(declaration, name),
    tags: [declaration.name],
    summary: operation.summary ?? operation.route,
    description: `Relayed to the service ${declaration.name}.${isConditional ? ` ${useIfMatch}` : ''}`,
    security: bearer,
    parameters: parametersOf(operation),
    ...(hasBody(operation) && {
      requestBody: forwardedBody('The body', 'the service', { schema: anyObject }, bodyTypes(operation)),
    }),
    responses: {
      ...(isJsonOperation(operation)
        ? jsonResponses(declaration, name, operation)
        : streamedByService(operation.type, operation.method !== 'GET')),
      ...memberProblems(),
      ...(isConditional && conditionProblems),
      ...(hasBody(operation) && bodyProblems),
    },
  };
};

/** Whether another operation writes what this one reads: then its entity tag is needed for `If-Match`. */
export const isWritten = ({ operations }: ServiceDeclaration, { method, memberPath }: DeclaredOperation): boolean =>
  method === 'GET' &&
  Object.values<DeclaredOperation>(operations).some(
    (other) => other.memberPath === memberPath && other.method !== 'GET' && other.method !== 'POST',
  );

/** The accepted media types of a body. */
export const bodyTypes = ({ method }: DeclaredOperation): readonly [string, ...string[]] =>
  method === 'PATCH' ? ['application/json', 'application/merge-patch+json'] : ['application/json'];

/** `authorizations_list`; `authorizations_GET_me_authorizations` for an operation that is named by its route. */
const operationIdOf = ({ name }: ServiceDeclaration, operation: string): string =>
  `${name}_${operation.replaceAll(/[ /{}]+/g, '_').replace(/_$/, '')}`;

const parametersOf = (operation: DeclaredOperation): readonly (Parameter | Reference)[] => {
  const { method, parameters, query } = operation;
  return [
    ...parameters.map(pathParameter),
    ...query.map((parameter) => queryParameter(parameter, 'Relayed unchanged; the service defines its meaning.')),
    ...(method === 'POST' ? [idempotencyKey] : []),
    ...(method === 'GET' || method === 'POST' ? [] : [ifMatch]),
    ...(method === 'GET' && !isJsonOperation(operation) ? documentConditions : []),
  ];
};

const jsonResponses = (
  declaration: ServiceDeclaration,
  name: string,
  operation: DeclaredOperation,
): Readonly<Record<number, Response>> => {
  const schema = operation.schema ? operationIdOf(declaration, name) : 'OwnServiceResponse';
  const isRead = operation.method === 'GET';
  const response = (description: string) =>
    relayed(schema, description, { headers: isWritten(declaration, operation) ? headerRefs('ETag.strong') : {} });
  return {
    200: response('The response of the service.'),
    ...(!isRead && { 201: response('The service created the resource.') }),
    202: response('The service accepted the request for later.'),
    204: noContent,
  };
};

/** The schemas of a service's operations, by operation id. Local references are changed to the place in the document. */
export const ownServiceSchemas = (declaration: ServiceDeclaration): Readonly<Record<string, Schema>> => {
  const schemas = Object.entries<DeclaredOperation>(declaration.operations).flatMap(([name, { schema }]) => {
    if (!schema) return [];
    const id = operationIdOf(declaration, name);
    return [[id, relocated(schema, `#/components/schemas/${id}`) as Schema] as const];
  });
  return { OwnServiceResponse: { description: 'Any JSON value.' }, ...Object.fromEntries(schemas) };
};

/** With an `$id`, references are relative to it (JSON Schema 2020-12, section 8.2.1), so they stay. */
const relocated = (schema: Readonly<Record<string, unknown>>, place: string): unknown =>
  '$id' in schema
    ? schema
    : JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
        key === '$ref' && typeof value === 'string' && /^#(?:\/|$)/.test(value) ? place + value.slice(1) : value,
      );
