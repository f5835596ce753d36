import { randomUUID } from 'node:crypto';
import { httpService } from '@portico/adapters-http';
import type { AnyServiceRequest, DeclaredOperation, Member, ServiceDeclaration } from '@portico/core';
import { serviceContract, type ServiceSubject } from '@portico/core/testing';
import type { OwnRequests } from './own-requests.ts';
import type { Skip } from './run-suite.ts';
import { hints, noWrites, type SubjectSettings, withMissing } from './subject.ts';
import type { Suite } from './suites.ts';

const noDeletes = 'It deletes data, which cannot be undone. Run the suite in code, with a new service for each test.';

/** The suite of a declared service, with the requests of the first member. */
export const ownSuite =
  (declaration: ServiceDeclaration, requests: OwnRequests): Suite =>
  (runner, settings, subject, skip) =>
    serviceContract(declaration)(runner, () =>
      ownSubject(declaration, requests, httpService(declaration, settings), subject, skip),
    );

const ownSubject = (
  declaration: ServiceDeclaration,
  requests: OwnRequests,
  service: object,
  { members, mayWrite, secrets }: SubjectSettings,
  skip: Skip,
): ServiceSubject<ServiceDeclaration> => {
  const operations = Object.entries<DeclaredOperation>(declaration.operations);
  const guarded = operations.map(([route, operation]) => [
    route,
    (who: Member, request: AnyServiceRequest) => {
      if (operation.method !== 'GET' && !mayWrite) skip(noWrites);
      if (deletes(operation, who === members.member, request, requests[route]?.parameters)) skip(noDeletes);
      return (service as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>)[route]!(who, request);
    },
  ]);
  const missing = operations.map(([route, { parameters }]) => [route, hintOf(route, parameters)]);
  const bodies = Object.entries(requests).map(([route, { otherBody }]) => [route, otherBody]);
  const data = {
    ...members,
    service: Object.fromEntries(guarded) as object,
    requests: withMissing(requests, Object.fromEntries(missing) as Record<string, string>, skip),
    otherBodies: Object.fromEntries(bodies) as object,
    fresh: () => randomUUID(),
    fail: undefined,
    secrets,
  };
  return withMissing(data, hints, skip) as never;
};

/** Whether the request deletes something if the service keeps its promises. */
const deletes = (
  { method, parameters }: DeclaredOperation,
  isOwner: boolean,
  request: AnyServiceRequest,
  own: Readonly<Record<string, string>> = {},
): boolean =>
  method === 'DELETE' &&
  request.ifMatch === undefined &&
  (parameters.length === 0 || (isOwner && parameters.every((name) => request.parameters[name] === own[name])));

const hintOf = (route: string, parameters: readonly string[]): string => {
  const isEnough = parameters.length === 1 && /^(?:GET|DELETE) /.test(route);
  return `Give ${isEnough ? '--resource, or ' : ''}a request for "${route}" in the file of --requests.`;
};
