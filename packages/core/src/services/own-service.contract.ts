import type { Result } from 'neverthrow';
import { check, equal, failsAs, succeeds } from '../contract/assertions.ts';
import { type ContractSuite, contractSuite } from '../contract/contract-suite.ts';
import { contentOf } from '../documents/documents.contract.ts';
import type { DocumentResponse } from '../documents/documents.port.ts';
import type { Failure } from '../shared/failure.ts';
import type { Member } from '../shared/member.ts';
import { type DeclaredOperation, isJsonOperation, type ServiceDeclaration } from './declaration.ts';
import { type AnyOwnUseCase, ownService } from './own-service.ts';
import type { AnyServiceRequest, ServiceInput, ServicePort, ServiceResponse } from './own-service.port.ts';

export interface ServiceSubject<Declaration extends ServiceDeclaration> {
  readonly service: ServicePort<Declaration>;
  readonly member: Member;
  /** Another member, to whom the resources in `requests` do not belong, and whose lists are different. */
  readonly other: Member;
  /** A request that succeeds for `member`, for each operation. Its parameters lead to resources of `member`. */
  readonly requests: {
    readonly [Name in keyof Declaration['operations']]: ServiceInput<Declaration['operations'][Name]>;
  };
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
  return contractSuite(declaration.name, Object.fromEntries(promises));
};

type Input = Partial<AnyServiceRequest>;

/** The calls of a subject. `change` replaces parts of the subject's request. */
interface Calls {
  readonly call: (operation: string, who: 'member' | 'other', change?: Input) => ReturnType<AnyOwnUseCase>;
  /** The entity tag of what the operation changes, if it can be read and has one. */
  readonly etagOf: (operation: string) => Promise<string | undefined>;
  /** Everything that a member can read with the requests of the subject. A failure is its kind. */
  readonly readAll: (who: 'member' | 'other') => Promise<readonly string[]>;
  readonly subject: { readonly member: Member; readonly other: Member };
}

const callsOf = <Declaration extends ServiceDeclaration>(
  declaration: Declaration,
  subject: ServiceSubject<Declaration>,
): Calls => {
  const useCases = ownService(declaration, subject.service).useCases as unknown as Readonly<
    Record<string, AnyOwnUseCase>
  >;
  const requests = subject.requests as unknown as Readonly<Record<string, Input | undefined>>;
  const missing = Object.keys(declaration.operations).find((name) => requests[name] === undefined);
  check(missing === undefined, `the subject has no request for the operation "${missing}"`);
  const call: Calls['call'] = (operation, who, change) =>
    useCases[operation]!(subject[who], { ...requests[operation], ...change });
  const reads = Object.entries<DeclaredOperation>(declaration.operations).filter(([, { method }]) => method === 'GET');
  const readAll: Calls['readAll'] = (who) => Promise.all(reads.map(async ([name]) => textOf(await call(name, who))));
  const etagOf: Calls['etagOf'] = async (operation) => {
    const { memberPath } = declaration.operations[operation]!;
    const read = reads.find(([, { memberPath: path }]) => path === memberPath);
    const found = read && (await call(read[0], 'member'));
    return found?.isOk() && 'text' in found.value ? found.value.etag : undefined;
  };
  return { call, etagOf, readAll, subject };
};

const textOf = async (result: Result<ServiceResponse | DocumentResponse, Failure>): Promise<string> => {
  if (result.isErr()) return result.error.kind;
  return 'text' in result.value ? result.value.text : String(await contentOf(result.value));
};

type Promises = Readonly<Record<string, (calls: Calls, operation: string) => Promise<void>>>;

const promisesOf = (operation: DeclaredOperation): Promises => ({
  ...(isJsonOperation(operation) ? jsonPromises : streamPromises),
  ...(operation.method === 'GET' ? readPromises : writePromises),
  ...(operation.method === 'POST' ? postPromises : {}),
  ...(operation.method === 'GET' || operation.method === 'POST' ? {} : conditionalPromises),
  ...(operation.parameters.length > 0 && operation.method !== 'POST' && operation.method !== 'PUT'
    ? parameterPromises(operation)
    : {}),
});

const jsonPromises: Promises = {
  'returns JSON, or no content': async ({ call }, operation) => {
    const { text, value, status } = (await succeeds(call(operation, 'member'))) as ServiceResponse;
    check(status === undefined || [200, 201, 202, 204].includes(status), 'the status is 200, 201, 202 or 204');
    if (text !== '') equal(value, JSON.parse(text), 'the value of the text');
  },
};

const streamPromises: Promises = {
  'returns content with the announced length': async ({ call }, operation) => {
    const response = (await succeeds(call(operation, 'member'))) as DocumentResponse;
    equal(response.outcome, 'whole', 'the outcome');
    const { contentLength } = response.headers;
    const bytes = await contentOf(response);
    if (contentLength !== undefined) equal(contentLength, String(bytes.length), 'the announced length');
  },
  'returns not-modified for a matching entity tag': async ({ call }, operation) => {
    const first = (await succeeds(call(operation, 'member'))) as DocumentResponse;
    await contentOf(first);
    const { etag } = first.headers;
    if (etag === undefined) return;
    const again = await succeeds(call(operation, 'member', { conditions: { ifNoneMatch: etag } }));
    equal((again as DocumentResponse).outcome, 'not-modified', `the outcome, given If-None-Match: ${etag}`);
  },
};

const readPromises: Promises = {
  'returns nothing of another member': async ({ call }, operation) => {
    const own = await textOf(await call(operation, 'member'));
    check((await textOf(await call(operation, 'other'))) !== own, 'another member gets another response');
  },
  'returns nothing of another member who reads at the same time': async ({ call }, operation) => {
    const read = async (who: 'member' | 'other') => textOf(await call(operation, who));
    const [own, others, last] = await Promise.all([read('member'), read('other'), read('member')]);
    check(own !== others && last !== others, 'another member gets another response');
  },
};

const writePromises: Promises = {
  'changes nothing that another member reads': async ({ call, readAll }, operation) => {
    const before = await readAll('other');
    await succeeds(call(operation, 'member'));
    equal(await readAll('other'), before, 'what the other member reads');
  },
  'cannot be used by another member to change what a member reads': async ({ call, readAll }, operation) => {
    const before = await readAll('member');
    await call(operation, 'other');
    equal(await readAll('member'), before, 'what the member reads');
  },
};

const conditionalPromises: Promises = {
  'rejects a write with an entity tag that it has never sent': async ({ call, etagOf, readAll }, operation) => {
    if ((await etagOf(operation)) === undefined) return;
    const before = await readAll('member');
    check((await call(operation, 'member', { ifMatch: '"contract-1"' })).isErr(), 'the write should have failed');
    equal(await readAll('member'), before, 'what the member reads');
  },
};

const postPromises: Promises = {
  'is processed once when it is sent twice with the same idempotency key': async ({ call }, operation) => {
    const twice = { idempotencyKey: 'contract-1' };
    const first = await textOf(await call(operation, 'member', twice));
    equal(await textOf(await call(operation, 'member', twice)), first, 'the second response');
  },
};

const parameterPromises = ({ parameters }: DeclaredOperation): Promises => ({
  'fails not-found for another member': async ({ call, subject }, operation) => {
    await failsNotFound(call(operation, 'other'), subject.other);
  },
  'fails not-found for what does not exist': async ({ call, subject }, operation) => {
    const missing = Object.fromEntries(parameters.map((name) => [name, 'NOT-THERE']));
    await failsNotFound(call(operation, 'member', { parameters: missing }), subject.member);
  },
});

/** The failure may be logged, so it must not identify the member. */
const failsNotFound = async (call: ReturnType<AnyOwnUseCase>, { locator, token }: Member): Promise<void> => {
  await failsAs('not-found', call);
  const text = (await call).match(
    () => '',
    (failure) => JSON.stringify(failure),
  );
  check(!text.includes(locator) && !text.includes(token), 'the failure contains no locator and no token');
};
