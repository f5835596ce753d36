import { err, ok, type Result } from 'neverthrow';
import type { DocumentResponse } from '../documents/documents.port.ts';
import { responseTo } from '../documents/documents.fake.ts';
import { matches } from '../shared/entity-tag.ts';
import { type Failure, notFound, preconditionFailed } from '../shared/failure.ts';
import { type ByMember, type Fails, failOnDemand, mergePatch, recordOf } from '../shared/fake.ts';
import { noContent, toJson } from '../shared/json/json.ts';
import type { Member } from '../shared/member.ts';
import { type DeclaredOperation, isJsonOperation, type ServiceDeclaration } from './declaration.ts';
import type { AnyServiceRequest, ServicePort, ServiceResponse } from './own-service.port.ts';

/** A call that a fake service received. */
export interface FakeServiceCall {
  readonly operation: string;
  /** The locator of the member. */
  readonly member: string;
  readonly request: AnyServiceRequest;
}

export type FakeService<Declaration extends ServiceDeclaration> = ServicePort<Declaration> &
  Fails & {
    /** The calls so far, oldest first. */
    readonly calls: readonly FakeServiceCall[];
  };

/** What a member has, by path: `/me/authorizations/AUTH-1`. An object for JSON, bytes for a streamed response. */
type Records = Readonly<Record<string, object>>;

interface Version {
  readonly record: object;
  readonly version: number;
}

/**
 * Creates a fake of a declared service. GET returns the record of the path; PUT replaces, PATCH merges (RFC 7396) and DELETE
 * removes it; each version has its own entity tag. POST stores the body as `NEW-1`, `NEW-2`, … below its path, once per idempotency key.
 * Query parameters have no effect.
 */
export const fakeService = <Declaration extends ServiceDeclaration>(
  { name: service, operations }: Declaration,
  members: ByMember<Records> = {},
): FakeService<Declaration> => {
  const { respond, ...failing } = failOnDemand();
  const calls: FakeServiceCall[] = [];
  const stores = new Map(Object.entries(members).map(([locator, records]) => [locator, storeOf(service, records)]));
  const all = Object.entries<DeclaredOperation>(operations).map(([operation, declared]) => [
    operation,
    (member: Member, request: AnyServiceRequest) => {
      calls.push({ operation, member: member.locator, request });
      return respond(() =>
        recordOf(service, stores, member).andThen((store) => store.run(declared, pathOf(declared, request), request)),
      );
    },
  ]);
  return { ...(Object.fromEntries(all) as ServicePort<Declaration>), ...failing, calls };
};

const pathOf = ({ memberPath }: DeclaredOperation, { parameters }: AnyServiceRequest): string =>
  memberPath.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');

type Reply = Result<ServiceResponse | DocumentResponse, Failure>;

/** The records of one member. */
const storeOf = (service: string, records: Records) => {
  const versions = new Map(
    Object.entries(records).map(([path, record]): [string, Version] => [path, { record, version: 1 }]),
  );
  const posted = new Map<string, ServiceResponse>();

  const create = (path: string, { body, idempotencyKey }: AnyServiceRequest): ServiceResponse => {
    const key = `${path} ${idempotencyKey}`;
    const earlier = idempotencyKey === undefined ? undefined : posted.get(key);
    if (earlier) return earlier;
    const record = { ...(body?.value as object), locator: `NEW-${posted.size + 1}` };
    versions.set(`${path}/${record.locator}`, { record, version: 1 });
    const created = { ...toJson(record), status: 201 } as const;
    posted.set(idempotencyKey === undefined ? `${path} ${record.locator}/` : key, created);
    return created;
  };

  const change = (method: 'PUT' | 'PATCH', path: string, { record, version }: Version, value: object): Reply => {
    const changed = method === 'PUT' ? value : (mergePatch(record, value) as object);
    versions.set(path, { record: changed, version: version + 1 });
    return ok(toJson(changed));
  };

  const run = (operation: DeclaredOperation, path: string, request: AnyServiceRequest): Reply => {
    const { method } = operation;
    if (method === 'POST') return ok(create(path, request));
    const found = versions.get(path);
    if (!found) return err(notFound(service));
    if (!isJsonOperation(operation))
      return responseTo(
        { locator: path, pdf: found.record as Uint8Array },
        request.conditions ?? {},
        request.signal,
        service,
      );
    const etag = `"${found.version}"`;
    if (method === 'GET') return ok({ ...toJson(found.record), etag });
    if (request.ifMatch !== undefined && !matches(request.ifMatch, etag)) return err(preconditionFailed(service));
    if (method !== 'DELETE') return change(method, path, found, request.body?.value as object);
    versions.delete(path);
    return ok({ ...noContent, status: 204 });
  };

  return { run };
};
