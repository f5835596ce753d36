import { err, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { fakeIdentity } from './identity/identity.fake.ts';
import { somePreferences } from './notifications/notifications.fake.ts';
import { fakePorts } from './ports.fake.ts';
import { succeeds } from './contract/assertions.ts';
import { upstream } from './shared/failure.ts';
import { toJson } from './shared/json/json.ts';
import { aMember } from './shared/member.fake.ts';
import { createUseCases } from './use-cases.ts';

const member = aMember('PTY-1');

describe('fakePorts', () => {
  it('provides data for the use cases of the member API', async () => {
    const ports = fakePorts();
    const use = createUseCases(ports);
    const known = await succeeds(use.authenticate(ports.identity.issue({ sub: 'PTY-1' })));
    expect(await use.getCoverage(known)).toEqual(ok(toJson({ plan: 'gold' })));
    expect((await use.getClaim(known, 'CLM-1')).isOk()).toBe(true);
    expect((await use.getDocument(known, 'DOC-1')).isOk()).toBe(true);
    expect(await use.getPreferences(known)).toMatchObject({ value: { value: somePreferences } });
    expect(await use.getPreferences(aMember('PTY-3'))).toMatchObject({ error: { code: 'preferences-not-set' } });
    expect(await use.getCoverage(aMember('PTY-9'))).toMatchObject({ error: { kind: 'not-found' } });
  });

  it('records the operations that were called, with their member, in order', async () => {
    const ports = fakePorts({ policy: { profile: () => okAsync(toJson({})) } });
    const use = createUseCases(ports);
    await use.listClaims(member, []);
    await use.getProfile(aMember('PTY-2'));
    await use.submitClaim(member, toJson({ type: 'dental' }));
    await use.putPreferences(member, toJson({ email: true }));
    expect(ports.calls).toEqual(['claims.list PTY-1', 'policy.profile PTY-2', 'claims.submit PTY-1']);
  });

  it('overrides single operations of a fake and keeps the others', async () => {
    const { claims } = fakePorts({ claims: { list: () => okAsync(toJson({ claims: 'none' })) } });
    expect(await claims.list(member, [])).toEqual(ok(toJson({ claims: 'none' })));
    expect((await claims.get(member, 'CLM-1' as never)).isOk()).toBe(true);
    claims.failWith(upstream('claims', 'timeout'));
    expect(await claims.get(member, 'CLM-1' as never)).toEqual(err(upstream('claims', 'timeout')));
  });

  it('accepts another fake or an instance of a class in place of a fake', async () => {
    const identity = fakeIdentity({ 'member-1': { password: 'right', claims: { sub: 'PTY-1' } } });
    class OwnConsent {
      readonly #value = toJson({ research: 'mine' });
      get() {
        return okAsync(this.#value);
      }
    }
    const ports = fakePorts({ identity, consent: new OwnConsent() });
    expect(await identity.verify(ports.identity.issue({ sub: 'PTY-1' }))).toEqual(ok({ sub: 'PTY-1' }));
    expect(await ports.consent.get(member)).toEqual(ok(toJson({ research: 'mine' })));
    expect(ports.calls).toEqual(['consent.get PTY-1']);
  });

  it('shares no state between two calls', async () => {
    const [one, other] = [fakePorts(), fakePorts()];
    one.clock.advance(5);
    await one.consent.get(member);
    expect([other.clock.monotonic(), other.calls]).toEqual([0, []]);
  });
});

describe('failOnce', () => {
  it('fails one call for each failOnce, in order, before failWith applies', async () => {
    const { eligibility } = fakePorts();
    const [first, second, always] = (['timeout', 'unreachable', 'status'] as const).map((reason) =>
      upstream('eligibility', reason),
    );
    eligibility.failOnce(first!);
    eligibility.failOnce(second!);
    expect(await eligibility.coverage(member)).toEqual(err(first));
    expect(await eligibility.accumulators(member)).toEqual(err(second));
    expect((await eligibility.coverage(member)).isOk()).toBe(true);
    eligibility.failWith(always);
    eligibility.failOnce(first!);
    expect(await eligibility.coverage(member)).toEqual(err(first));
    expect(await eligibility.coverage(member)).toEqual(err(always));
  });
});
