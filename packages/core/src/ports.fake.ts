import { fakeClaims, type FakeClaims } from './claims/claims.fake.ts';
import { fakeConsent, type FakeConsent } from './consent/consent.fake.ts';
import { fakeDocuments, type FakeDocuments, somePdf } from './documents/documents.fake.ts';
import { fakeEligibility, type FakeEligibility } from './eligibility/eligibility.fake.ts';
import { fakeIdentity, type FakeIdentity } from './identity/identity.fake.ts';
import { fakeNotifications, type FakeNotifications, somePreferences } from './notifications/notifications.fake.ts';
import { startingPreferences } from './notifications/preferences.ts';
import { fakePolicy, type FakePolicy } from './policy/policy.fake.ts';
import type { Ports } from './ports.ts';
import { type FakeClock, fakeClock } from './runtime/clock.fake.ts';
import { Member } from './shared/member.ts';

export interface FakePorts extends Ports {
  readonly identity: FakeIdentity;
  readonly eligibility: FakeEligibility;
  readonly claims: FakeClaims;
  readonly documents: FakeDocuments;
  readonly policy: FakePolicy;
  readonly notifications: FakeNotifications;
  readonly consent: FakeConsent;
  readonly clock: FakeClock;
  /** The operations called for a member so far, oldest first, for example `claims.list PTY-1`. */
  readonly calls: readonly string[];
}

/** Operations that replace those of the fakes, by port. */
export type PortOverrides = { readonly [Name in keyof Ports]?: Partial<Ports[Name]> };

/**
 * Creates a fake for every port of the member API, for `createUseCases`. There are three members: `PTY-1` has a claim
 * `CLM-1` and a document `DOC-1`, `PTY-2` has neither, and `PTY-3` has notifications only and never set preferences.
 */
export const fakePorts = (overrides: PortOverrides = {}): FakePorts => {
  const calls: string[] = [];
  const fakes = sampleFakes();
  const ports = Object.entries(fakes).map(([name, fake]) => [
    name,
    recorded(name, fake, overrides[name as keyof Ports] ?? {}, calls),
  ]);
  return { ...(Object.fromEntries(ports) as typeof fakes), calls };
};

const sampleFakes = () => ({
  identity: fakeIdentity(),
  eligibility: fakeEligibility({
    'PTY-1': { coverage: { plan: 'gold' }, accumulators: { used: '1.00' } },
    'PTY-2': { coverage: { plan: 'bronze' }, accumulators: { used: '2.00' } },
  }),
  claims: fakeClaims({ 'PTY-1': [{ locator: 'CLM-1', status: 'paid' }], 'PTY-2': [] }),
  documents: fakeDocuments({ 'PTY-1': [{ locator: 'DOC-1', type: 'eob', pdf: somePdf }], 'PTY-2': [] }),
  policy: fakePolicy({ 'PTY-1': { city: 'Springfield', zip: '1' }, 'PTY-2': { city: 'Shelbyville', zip: '2' } }),
  notifications: fakeNotifications({
    'PTY-1': { preferences: somePreferences, notifications: [], log: [] },
    'PTY-2': { preferences: startingPreferences, notifications: [], log: [] },
    'PTY-3': { preferences: null, notifications: [], log: [] },
  }),
  consent: fakeConsent({ 'PTY-1': { research: true }, 'PTY-2': { research: false } }),
  clock: fakeClock(),
});

/** A proxy and not a copy: an override may be an instance of a class, and a property may be a getter. */
const recorded = <Port extends object>(name: string, fake: Port, override: object, calls: string[]): Port => {
  const ownerOf = (operation: PropertyKey) => (operation in override ? override : fake);
  return new Proxy(fake, {
    get: (_, operation) => {
      const owner = ownerOf(operation);
      const value: unknown = Reflect.get(owner, operation);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]): unknown => {
        const [member] = args;
        if (member instanceof Member) calls.push(`${name}.${String(operation)} ${member.locator}`);
        return Reflect.apply(value, owner, args);
      };
    },
    set: (_, operation, value) => Reflect.set(ownerOf(operation), operation, value),
  });
};
