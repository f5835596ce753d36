import { Container } from 'inversify';
import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { fakeClaims } from './claims/claims.fake.ts';
import { fakeConsent } from './consent/consent.fake.ts';
import { fakeDocuments } from './documents/documents.fake.ts';
import { fakeEligibility } from './eligibility/eligibility.fake.ts';
import { fakeIdentity } from './identity/identity.fake.ts';
import { coreModule, portTokens, useCasesToken, useCaseTokens } from './inversify.ts';
import { fakeNotifications } from './notifications/notifications.fake.ts';
import { fakePolicy } from './policy/policy.fake.ts';
import { unauthenticated } from './shared/failure.ts';
import { toJson } from './shared/json.ts';
import { aMember } from './shared/member.fake.ts';
import { type CoreSettings, createUseCases } from './use-cases.ts';

const ports = () => ({
  identity: fakeIdentity(),
  eligibility: fakeEligibility({ 'PTY-1': { coverage: { plan: 'gold' }, accumulators: { used: 1 } } }),
  claims: fakeClaims({ 'PTY-1': [{ locator: 'CLM-1' }] }),
  documents: fakeDocuments({ 'PTY-1': [] }),
  policy: fakePolicy({ 'PTY-1': { city: 'Springfield' } }),
  notifications: fakeNotifications({ 'PTY-1': { preferences: null, notifications: [], log: [{ seen: true }] } }),
  consent: fakeConsent({ 'PTY-1': { research: true } }),
});

const containerWith = (fakes: ReturnType<typeof ports>, settings?: CoreSettings) => {
  const container = new Container();
  container.load(coreModule(settings));
  container.bind(portTokens.identity).toConstantValue(fakes.identity);
  container.bind(portTokens.eligibility).toConstantValue(fakes.eligibility);
  container.bind(portTokens.claims).toConstantValue(fakes.claims);
  container.bind(portTokens.documents).toConstantValue(fakes.documents);
  container.bind(portTokens.policy).toConstantValue(fakes.policy);
  container.bind(portTokens.notifications).toConstantValue(fakes.notifications);
  container.bind(portTokens.consent).toConstantValue(fakes.consent);
  return container;
};

const member = aMember('PTY-1');

describe('the core in a container', () => {
  it('has every use case that a composition by hand has', () => {
    const fakes = ports();
    const bound = containerWith(fakes).get(useCasesToken);
    expect(Object.keys(bound)).toEqual(Object.keys(createUseCases(fakes)));
    expect(Object.keys(bound)).toHaveLength(16);
  });

  it('asks the ports that are bound, each use case its own', async () => {
    const use = containerWith(ports()).get(useCasesToken);
    expect(await use.getCoverage(member)).toEqual(ok(toJson({ plan: 'gold' })));
    expect(await use.getAccumulators(member)).toEqual(ok(toJson({ used: 1 })));
    expect(await use.listClaims(member, [])).toEqual(ok(toJson({ claims: [{ locator: 'CLM-1' }] })));
    expect(await use.getClaim(member, 'CLM-1')).toEqual(ok(toJson({ locator: 'CLM-1' })));
    expect(await use.submitClaim(member, toJson({ a: 1 }))).toMatchObject({ value: { locator: 'CLM-NEW-1' } });
    expect(await use.listDocuments(member, [])).toEqual(ok(toJson({ documents: [] })));
    expect(await use.getDocument(member, 'DOC-1')).toMatchObject({ error: { service: 'documents' } });
    expect(await use.getProfile(member)).toEqual(ok(toJson({ city: 'Springfield' })));
    expect(await use.patchProfile(member, toJson({ city: 'X' }))).toEqual(ok(toJson({ city: 'X' })));
    expect(await use.getPreferences(member)).toMatchObject({ error: { code: 'preferences-not-set' } });
    expect(await use.putPreferences(member, toJson({}))).toMatchObject({ error: { kind: 'invalid' } });
    expect(await use.getConsent(member)).toEqual(ok(toJson({ research: true })));
    expect(await use.putConsent(member, toJson({ research: false }))).toEqual(ok(toJson({ research: false })));
    expect(await use.listNotifications(member, [])).toEqual(ok(toJson({ notifications: [] })));
    expect(await use.readNotificationLog(member, [])).toEqual(ok(toJson({ log: [{ seen: true }] })));
  });

  it('gives a single use case, the same that stands among all of them', () => {
    const container = containerWith(ports());
    expect(container.get(useCaseTokens.getClaim)).toBe(container.get(useCasesToken).getClaim);
  });

  it('uses a port that was bound anew before it was first asked for', async () => {
    const container = containerWith(ports());
    const coverage = { plan: 'of my own' };
    container
      .rebind(portTokens.eligibility)
      .toConstantValue(fakeEligibility({ 'PTY-1': { coverage, accumulators: {} } }));
    expect(await container.get(useCasesToken).getCoverage(member)).toEqual(ok(toJson(coverage)));
  });

  it('reads the locator from the claim that the settings name', async () => {
    const fakes = ports();
    const token = fakes.identity.issue({ sub: 'PTY-1', partyLocator: 'PTY-2', party: 'PTY-3' });
    const locatorWith = async (settings?: CoreSettings) =>
      (await containerWith(fakes, settings).get(useCaseTokens.authenticate)(token)).map(({ locator }) => locator);
    expect(await locatorWith()).toEqual(ok('PTY-2'));
    expect(await locatorWith({ locatorClaim: 'party' })).toEqual(ok('PTY-3'));
    expect(await locatorWith({ locatorClaim: 'missing' })).toEqual(err(unauthenticated('invalid')));
  });

  it('says which port is missing', () => {
    const container = new Container();
    container.load(coreModule());
    expect(() => container.get(useCaseTokens.getCoverage)).toThrow('portico:eligibility');
  });
});
