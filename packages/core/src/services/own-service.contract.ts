import { check } from '../contract/assertions.ts';
import { type ContractSuite, contractSuite } from '../contract/contract-suite.ts';
import { failingSourcePromises, type FailingSource } from '../contract/failing-source.ts';
import type { Json } from '../shared/json/json.ts';
import type { Member } from '../shared/member.ts';
import { type DeclaredOperation, isJsonOperation, type ServiceDeclaration } from './declaration.ts';
import { type Calls, type Input, versionOf } from './operation-calls.contract.ts';
import { promisesOf } from './operation-promises.contract.ts';
import { type AnyOwnUseCase, ownService } from './own-service.ts';
import type { ServiceInput, ServicePort } from './own-service.port.ts';

export interface ServiceSubject<Declaration extends ServiceDeclaration> extends FailingSource {
  readonly service: ServicePort<Declaration>;
  readonly member: Member;
  /** Another member, to whom the resources in `requests` do not belong, and whose lists are different. */
  readonly other: Member;
  /** A request that succeeds for `member`, for each operation. Its parameters lead to resources of `member`. */
  readonly requests: {
    readonly [Name in keyof Declaration['operations']]: ServiceInput<Declaration['operations'][Name]>;
  };
  /**
   * Bodies of `other`, for operations whose response shows the body. They are different from those in `requests`. If one
   * is absent, idempotency keys that two members share are tested only by what `other` reads.
   */
  readonly otherBodies?: { readonly [Name in keyof Declaration['operations']]?: Json };
  /** A member who does not exist in the service. If it is absent, what such a member reads is not tested. */
  readonly unknown?: Member;
  /**
   * Returns an idempotency key that was not used before. If it is absent, each test uses the same keys, so each needs a
   * service without earlier data.
   */
  readonly fresh?: () => string;
}

/** The contract suite of a declared service: the promises of its operations, one test each. */
export const serviceContract = <Declaration extends ServiceDeclaration>(
  declaration: Declaration,
): ContractSuite<ServiceSubject<Declaration>> => {
  const promises = Object.entries<DeclaredOperation>(declaration.operations).flatMap(([name, operation]) =>
    Object.entries(promisesOf(operation)).map(([promise, verify]) => [
      `${operation.route} ${promise}`,
      (subject: ServiceSubject<Declaration>) => verify(callsOf(declaration, subject), name),
    ]),
  );
  return contractSuite(declaration.name, {
    ...(Object.fromEntries(promises) as Record<string, (subject: ServiceSubject<Declaration>) => Promise<void>>),
    ...failingSourcePromises<ServiceSubject<Declaration>>(declaration.name, (subject) => {
      const { call } = callsOf(declaration, subject);
      return Object.keys(declaration.operations).map((name) => () => call(name, 'member'));
    }),
  });
};

const callsOf = <Declaration extends ServiceDeclaration>(
  declaration: Declaration,
  subject: ServiceSubject<Declaration>,
): Calls => {
  const useCases = ownService(declaration, subject.service).useCases as unknown as Readonly<
    Record<string, AnyOwnUseCase>
  >;
  const requests = subject.requests as unknown as Readonly<Record<string, Input | undefined>>;
  const call: Calls['call'] = (operation, who, change) => {
    const request = requests[operation];
    check(request !== undefined, `the subject has no request for the operation "${operation}"`);
    return useCases[operation]!(subject[who]!, { ...request, ...change });
  };
  const reads = Object.entries<DeclaredOperation>(declaration.operations).filter(([, { method }]) => method === 'GET');
  const readAll: Calls['readAll'] = (who) => Promise.all(reads.map(async ([name]) => versionOf(await call(name, who))));
  const readOf: Calls['readOf'] = (operation) =>
    reads.find(([, { memberPath }]) => memberPath === declaration.operations[operation]!.memberPath)?.[0];
  const etagOf: Calls['etagOf'] = async (operation) => {
    const read = readOf(operation);
    // The entity tag of streamed content is not compared with that of a write.
    if (read === undefined || !isJsonOperation(declaration.operations[read]!)) return undefined;
    return (await call(read, 'member')).match(
      (found) => ('text' in found ? found.etag : undefined),
      () => undefined,
    );
  };
  let keys = 0;
  const { fresh = () => `contract-${++keys}`, otherBodies = {} } = subject;
  const otherBodyOf = (operation: string) => (otherBodies as Readonly<Record<string, Json | undefined>>)[operation];
  return { call, etagOf, readAll, readOf, fresh, otherBodyOf, subject };
};
