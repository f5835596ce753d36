import { Container } from 'inversify';
import { err, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { fakeEligibility } from './eligibility/eligibility.fake.ts';
import { fakeIdentity } from './identity/identity.fake.ts';
import {
  coreModule,
  ownServiceToken,
  portTokens,
  searchModule,
  searchPortTokens,
  searchUseCasesToken,
  useCasesToken,
  useCaseTokens,
} from './inversify.ts';
import { fakeNotifications } from './notifications/notifications.fake.ts';
import { fakePorts } from './ports.fake.ts';
import type { Ports } from './ports.ts';
import { fakeClock } from './runtime/clock.fake.ts';
import { fakeIds } from './runtime/ids.fake.ts';
import { memoryCallbackExchange } from './search/callbacks/memory-callback-exchange.ts';
import { aLeg, anOnSearch } from './search/leg.fake.ts';
import { fakeSearchTransport } from './search/transport/search-transport.fake.ts';
import { createSearchUseCases } from './search/search-use-cases.ts';
import { declareService } from './services/declare-service.ts';
import { fakeService } from './services/own-service.fake.ts';
import { ownService } from './services/own-service.ts';
import { succeeds } from './contract/assertions.ts';
import { refusedToken, unauthenticated } from './shared/failure.ts';
import { toJson } from './shared/json/json.ts';
import { aMember } from './shared/member.fake.ts';
import { type CoreSettings, createUseCases, type UseCases } from './use-cases.ts';

const ports = () =>
  fakePorts({
    identity: fakeIdentity({ 'member-1': { password: 'right', claims: { party: 'PTY-1', sub: 'PTY-9' } } }),
    notifications: fakeNotifications({ 'PTY-1': { preferences: null, notifications: [], log: [{ seen: true }] } }),
  });

const containerWith = (fakes: Ports, settings?: CoreSettings) => {
  const container = new Container();
  container.load(coreModule(settings));
  container.bind(portTokens.identity).toConstantValue(fakes.identity);
  container.bind(portTokens.eligibility).toConstantValue(fakes.eligibility);
  container.bind(portTokens.claims).toConstantValue(fakes.claims);
  container.bind(portTokens.documents).toConstantValue(fakes.documents);
  container.bind(portTokens.policy).toConstantValue(fakes.policy);
  container.bind(portTokens.notifications).toConstantValue(fakes.notifications);
  container.bind(portTokens.consent).toConstantValue(fakes.consent);
  container.bind(portTokens.clock).toConstantValue(fakes.clock);
  return container;
};

/** The use cases of a container in which every port is bound. */
const allUseCases = (container: Container) => container.get(useCasesToken) as UseCases;

const member = aMember('PTY-1');

describe('services of your own in a container', () => {
  const plans = declareService('plans', { get: { route: 'GET /me/plans', path: '/plans/{partyLocator}' } });
  const own = () => ownService(plans, fakeService(plans, { 'PTY-1': { '/me/plans': { plan: 'gold' } } }));

  it('are among the use cases, as createUseCases returns them', async () => {
    const container = containerWith(ports());
    const service = own();
    container.bind(ownServiceToken).toConstantValue(service);
    const { services = [] } = container.get(useCasesToken);
    expect(services).toEqual([service]);
    expect(await service.useCases.get(member)).toMatchObject({ value: { value: { plan: 'gold' } } });
    expect(containerWith(ports()).get(useCasesToken)).not.toHaveProperty('services');
  });

  it('must not have the same name', () => {
    const container = containerWith(ports());
    container.bind(ownServiceToken).toConstantValue(own());
    container.bind(ownServiceToken).toConstantValue(own());
    expect(() => container.get(useCasesToken)).toThrow('There are two services with the name "plans".');
  });
});

describe('coreModule', () => {
  it('binds every use case that createUseCases returns', () => {
    const fakes = ports();
    const bound = containerWith(fakes).get(useCasesToken);
    expect(Object.keys(bound)).toEqual(Object.keys(createUseCases(fakes)));
    expect(Object.keys(bound)).toHaveLength(19);
  });

  it('connects each use case to its bound port', async () => {
    const use = allUseCases(containerWith(ports()));
    expect(await use.getCoverage(member)).toEqual(ok(toJson({ plan: 'gold' })));
    expect(await use.getAccumulators(member)).toEqual(ok(toJson({ used: '1.00' })));
    expect(await use.listClaims(member, [])).toEqual(ok(toJson({ claims: [{ locator: 'CLM-1', status: 'paid' }] })));
    expect(await use.getClaim(member, 'CLM-1')).toEqual(ok(toJson({ locator: 'CLM-1', status: 'paid' })));
    expect(await use.submitClaim(member, toJson({ a: 1 }))).toMatchObject({ value: { locator: 'CLM-NEW-1' } });
    expect(await use.listDocuments(member, [])).toEqual(ok(toJson({ documents: [{ locator: 'DOC-1', type: 'eob' }] })));
    expect(await use.getDocument(member, 'DOC-9')).toMatchObject({ error: { service: 'documents' } });
    expect(await use.getProfile(member)).toMatchObject({ value: toJson({ city: 'Springfield', zip: '1' }) });
    expect(await use.patchProfile(member, toJson({ city: 'X' }))).toEqual(ok(toJson({ city: 'X', zip: '1' })));
    expect(await use.getPreferences(member)).toMatchObject({ error: { code: 'preferences-not-set' } });
    expect(await use.putPreferences(member, toJson({}))).toMatchObject({ error: { kind: 'invalid' } });
    expect(await use.changePreferences(member, { sms: true })).toMatchObject({
      error: { code: 'preferences-not-set' },
    });
    expect(await use.getConsent(member)).toMatchObject({ value: toJson({ research: true }) });
    expect(await use.putConsent(member, toJson({ research: false }))).toEqual(ok(toJson({ research: false })));
    expect(await use.listNotifications(member, [])).toEqual(ok(toJson({ notifications: [] })));
    expect(await use.readNotificationLog(member, [])).toEqual(ok(toJson({ log: [{ seen: true }] })));
  });

  it('requests tokens and runs the journey with the bound ports, locator claim and clock', async () => {
    const fakes = ports();
    const credentials = {
      grant: 'password',
      clientId: 'portico-cli',
      username: 'member-1',
      password: 'right',
    } as const;
    const { ownPreferences } = fakes.notifications;
    fakes.notifications.ownPreferences = (who) => {
      fakes.clock.advance(7);
      return ownPreferences(who);
    };
    const use = allUseCases(containerWith(fakes, { locatorClaim: 'party' }));
    expect((await use.requestToken(credentials)).isOk()).toBe(true);
    for (const { runPreferencesJourney } of [use, createUseCases(fakes, { locatorClaim: 'party' })]) {
      const { locator, log, steps } = await runPreferencesJourney(credentials, { readOnly: true });
      expect({ locator, log }).toEqual({ locator: 'PTY-1', log: [{ seen: true }] });
      expect(steps[2]).toMatchObject({ name: 'get-own-preferences', elapsedMs: 7 });
    }
  });

  it('resolves a single use case to the same function as useCasesToken', () => {
    const container = containerWith(ports());
    expect(container.get(useCaseTokens.getClaim)).toBe(container.get(useCasesToken).getClaim);
  });

  it('uses a port that is rebound before the first get', async () => {
    const container = containerWith(ports());
    const coverage = { plan: 'rebound' };
    container
      .rebind(portTokens.eligibility)
      .toConstantValue(fakeEligibility({ 'PTY-1': { coverage, accumulators: {} } }));
    expect(await allUseCases(container).getCoverage(member)).toEqual(ok(toJson(coverage)));
  });

  it('reads the locator from the configured claim', async () => {
    const fakes = ports();
    const token = fakes.identity.issue({ sub: 'PTY-1', partyLocator: 'PTY-2', party: 'PTY-3' });
    const locatorWith = async (settings?: CoreSettings) =>
      (await containerWith(fakes, settings).get(useCaseTokens.authenticate)(token)).map(({ locator }) => locator);
    expect(await locatorWith()).toEqual(ok('PTY-2'));
    expect(await locatorWith({ locatorClaim: 'party' })).toEqual(ok('PTY-3'));
    expect(await locatorWith({ locatorClaim: 'missing' })).toEqual(err(refusedToken('locator')));
  });

  it('leaves out the use cases of services whose ports are not bound', () => {
    const fakes = ports();
    const container = containerWith(fakes);
    container.unbind(portTokens.claims);
    container.unbind(portTokens.notifications);
    const { claims: _claims, notifications: _notifications, ...bound } = fakes;
    expect(Object.keys(container.get(useCasesToken))).toEqual(Object.keys(createUseCases(bound)));
    expect(container.get(useCasesToken)).not.toHaveProperty('getClaim');
  });

  it('names the missing port in the error', () => {
    const container = new Container();
    container.load(coreModule());
    expect(() => container.get(useCaseTokens.getCoverage)).toThrow('portico:eligibility');
  });
});

const searchPorts = () => {
  const clock = fakeClock();
  return { transport: fakeSearchTransport(), exchange: memoryCallbackExchange(clock), clock, ids: fakeIds() };
};

const searchContainer = (fakes: ReturnType<typeof searchPorts>, legs = [aLeg('moa'), aLeg('mh')]) => {
  const container = new Container();
  container.load(searchModule({ legs, maxPending: 2 }));
  container.bind(searchPortTokens.transport).toConstantValue(fakes.transport);
  container.bind(searchPortTokens.exchange).toConstantValue(fakes.exchange);
  container.bind(searchPortTokens.clock).toConstantValue(fakes.clock);
  container.bind(searchPortTokens.ids).toConstantValue(fakes.ids);
  return container;
};

const request = { persona: 'member', query: 'x', user_id: 'user-1' };

describe('searchModule', () => {
  it('binds every use case that createUseCases returns', () => {
    const fakes = searchPorts();
    const bound = searchContainer(fakes).get(searchUseCasesToken);
    expect(Object.keys(bound)).toEqual(Object.keys(createSearchUseCases(fakes, { legs: [aLeg('moa')] })));
    expect(Object.keys(bound)).toHaveLength(5);
  });

  it('uses the bound ports and the settings, with shared counters', async () => {
    const fakes = searchPorts();
    const container = searchContainer(fakes);
    const { response } = await succeeds(container.get(searchUseCasesToken).search(request));
    expect(await container.get(searchUseCasesToken).search(request)).toMatchObject({ error: { kind: 'overloaded' } });
    for (const { envelope } of fakes.transport.posts)
      await container.get(searchUseCasesToken).receiveCallback(anOnSearch(envelope.context.transaction_id));
    expect((await response).legs.map((outcome) => 'callback' in outcome)).toEqual([true, true]);
    expect(container.get(searchUseCasesToken).searchStatus()).toMatchObject({
      pending: 0,
      callbacks: { delivered: 2 },
    });
    expect(fakes.clock.scheduled).toBe(0);
  });

  it('requires a verifier only when a leg verifies callbacks', async () => {
    const legs = [aLeg('mh', { verifyCallbacks: true })];
    expect(() => searchContainer(searchPorts(), legs).get(searchUseCasesToken)).toThrow('needs the port verifier');
    const container = searchContainer(searchPorts(), legs);
    container.bind(searchPortTokens.verifier).toConstantValue({ verify: () => okAsync({ subscriberId: 'other' }) });
    const use = container.get(searchUseCasesToken);
    await use.search(request);
    const callback = anOnSearch('00000000-0000-4000-8000-000000000001');
    expect(await use.receiveCallback({ ...callback, bytes: Uint8Array.of() })).toEqual(err(unauthenticated('invalid')));
  });

  it('uses a port that is rebound before the first get', async () => {
    const container = searchContainer(searchPorts());
    const transport = fakeSearchTransport();
    container.rebind(searchPortTokens.transport).toConstantValue(transport);
    await container.get(searchUseCasesToken).search(request);
    expect(transport.posts).toHaveLength(2);
  });

  it('names the missing port in the error', () => {
    const container = new Container();
    container.load(searchModule({ legs: [aLeg('moa')] }));
    expect(() => container.get(searchUseCasesToken)).toThrow('portico:searchTransport');
  });
});
