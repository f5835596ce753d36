import { describe, expect, test } from 'vitest';
import type { SeedServiceLine } from './adjudication.ts';
import { seedMembers } from './members.ts';
import { policyPdf } from './pdf/pdf-policy.ts';

const members = await seedMembers();
const claims = members.flatMap((member) => member.claims);
const documents = members.flatMap((member) => member.documents);
const cents = (dollars: number | null) => Math.round((dollars ?? 0) * 100);
const centsOf = (lines: readonly SeedServiceLine[], amount: keyof SeedServiceLine & `${string}Amount`) =>
  lines.reduce((total, line) => total + cents(line[amount]), 0);

describe('seed members', () => {
  test('include three members with different names, credentials and data', () => {
    expect(members.map(({ partyLocator, username, name }) => [partyLocator, username, name])).toEqual([
      ['PTY-1001', 'member-a', 'Sample Member A'],
      ['PTY-1002', 'member-b', 'Sample Member B'],
      ['PTY-1003', 'member-c', 'Sample Member C'],
    ]);
  });

  test('seed members have set preferences, except for one member', () => {
    expect(members.map(({ preferences }) => preferences === null)).toEqual([false, false, true]);
  });

  test('list the newest notification and message first', () => {
    for (const { notifications, log } of members) {
      const times = [notifications.map(({ createdAt }) => createdAt), log.map(({ sentAt }) => sentAt)];
      for (const listed of times) expect(listed).toEqual(listed.toSorted().toReversed());
    }
  });

  test('seed members have valid and unique locators', () => {
    const locators = [
      ...members.map(({ partyLocator }) => partyLocator),
      ...members.map(({ coverage }) => coverage.locator),
      ...members.flatMap(({ consent }) => consent.consents.map(({ locator }) => locator)),
      ...members.flatMap(({ notifications, log }) => [...notifications, ...log].map(({ id }) => id)),
      ...claims.map(({ locator }) => locator),
      ...documents.map(({ locator }) => locator),
    ];
    expect(locators.filter((locator) => !/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(locator))).toEqual([]);
    expect(new Set(locators).size).toBe(locators.length);
  });
});

describe('seed claims', () => {
  test('cover every status of a claim', () => {
    expect([...new Set(claims.map(({ status }) => status))].toSorted()).toEqual([
      'denied',
      'in-review',
      'paid',
      'received',
    ]);
  });

  test.each(claims.map((claim) => [claim.locator, claim] as const))(
    'computes consistent totals of %s',
    (_locator, claim) => {
      const lines = claim.serviceLines;
      expect(cents(claim.billedAmount)).toBe(centsOf(lines, 'billedAmount'));
      expect(cents(claim.allowedAmount)).toBe(centsOf(lines, 'allowedAmount'));
      expect(cents(claim.planPaidAmount)).toBe(centsOf(lines, 'planPaidAmount'));
      expect(cents(claim.memberResponsibilityAmount)).toBe(centsOf(lines, 'memberResponsibilityAmount'));
      expect(claim.billedAmount).toBeGreaterThanOrEqual(claim.allowedAmount ?? 0);
      expect(cents(claim.allowedAmount)).toBe(cents(claim.planPaidAmount) + cents(claim.memberResponsibilityAmount));
      for (const line of lines) expect(cents(line.planPaidAmount)).toBeGreaterThanOrEqual(0);
    },
  );

  test('seed claims have a reason for every amount that was billed and not paid', () => {
    for (const { eobDocumentLocator, serviceLines } of claims) {
      for (const line of eobDocumentLocator === null ? [] : serviceLines) {
        const adjusted = line.adjustments.reduce((total, { amount }) => total + cents(amount), 0);
        expect(cents(line.planPaidAmount) + adjusted).toBe(cents(line.billedAmount));
      }
    }
  });

  test('cost the member nothing before the decision or when denied', () => {
    for (const { status, allowedAmount, memberResponsibilityAmount } of claims) {
      if (status === 'received' || status === 'in-review') expect(allowedAmount).toBeNull();
      if (status === 'denied') expect(memberResponsibilityAmount).toBe(0);
    }
  });
});

describe('seed accumulators', () => {
  test('seed accumulators have a remaining amount of limit minus used, never below zero', () => {
    for (const { deductible, outOfPocketMaximum } of members.map(({ accumulators }) => accumulators)) {
      for (const tier of [deductible, outOfPocketMaximum].flatMap(({ individual, family }) => [individual, family])) {
        for (const { limit, used, remaining } of [tier.inNetwork, tier.outOfNetwork]) {
          expect(cents(used) + cents(remaining)).toBe(cents(limit));
          expect(remaining).toBeGreaterThanOrEqual(0);
        }
      }
    }
  });

  test("count the member's claims for the individual and all claims for the family", () => {
    const { deductible, outOfPocketMaximum } = members[0]!.accumulators;
    expect(deductible.individual.inNetwork).toEqual({ limit: 1500, used: 1500, remaining: 0 });
    expect(deductible.family.inNetwork).toEqual({ limit: 3000, used: 2140, remaining: 860 });
    expect(deductible.individual.outOfNetwork).toEqual({ limit: 3000, used: 157.75, remaining: 2842.25 });
    expect(outOfPocketMaximum.individual.inNetwork).toEqual({ limit: 5000, used: 1594, remaining: 3406 });
    expect(outOfPocketMaximum.family.inNetwork).toEqual({ limit: 10_000, used: 2284, remaining: 7716 });
  });
});

describe('seed documents', () => {
  test('include an EOB for each adjudicated claim of the member only', () => {
    for (const member of members) {
      const eobs = member.documents.filter(({ type }) => type === 'eob');
      const adjudicated = member.claims.filter(({ status }) => status === 'paid' || status === 'denied');
      expect(eobs.map(({ claimLocator, locator }) => [claimLocator, locator])).toEqual(
        adjudicated.map(({ locator, eobDocumentLocator }) => [locator, eobDocumentLocator]),
      );
    }
  });

  test('include an ID card and a policy for every member', () => {
    for (const { documents: memberDocuments } of members)
      expect(memberDocuments.map(({ type }) => type).filter((type) => type !== 'eob')).toEqual(['id-card', 'policy']);
  });

  test.each(documents.map((document) => [document.fileName, document.pdf] as const))('%s is a PDF', (_name, pdf) => {
    const text = Buffer.from(pdf).toString('latin1');
    expect(text.startsWith('%PDF-')).toBe(true);
    expect(text.trimEnd().endsWith('%%EOF')).toBe(true);
  });

  test('seed documents have the same bytes each time they are rendered', async () => {
    const member = members[0]!;
    const second = await policyPdf(member);
    expect(Buffer.from(second).equals(member.documents.find(({ type }) => type === 'policy')!.pdf)).toBe(true);
  });
});
