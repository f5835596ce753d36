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

describe('the members', () => {
  test('are three, each with a name, a sign-in and data of their own', () => {
    expect(members.map(({ partyLocator, username, name }) => [partyLocator, username, name])).toEqual([
      ['PTY-1001', 'member-a', 'Sample Member A'],
      ['PTY-1002', 'member-b', 'Sample Member B'],
      ['PTY-1003', 'member-c', 'Sample Member C'],
    ]);
  });

  test('have set their preferences, except for one', () => {
    expect(members.map(({ preferences }) => preferences === null)).toEqual([false, false, true]);
  });

  test('read their newest notification and message first', () => {
    for (const { notifications, log } of members) {
      const times = [notifications.map(({ createdAt }) => createdAt), log.map(({ sentAt }) => sentAt)];
      for (const listed of times) expect(listed).toEqual(listed.toSorted().toReversed());
    }
  });

  test('have locators that are valid and belong to one thing only', () => {
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

describe('the claims', () => {
  test('show every status a claim can have', () => {
    expect([...new Set(claims.map(({ status }) => status))].toSorted()).toEqual([
      'denied',
      'in-review',
      'paid',
      'received',
    ]);
  });

  test.each(claims.map((claim) => [claim.locator, claim] as const))('%s adds up', (_locator, claim) => {
    const lines = claim.serviceLines;
    expect(cents(claim.billedAmount)).toBe(centsOf(lines, 'billedAmount'));
    expect(cents(claim.allowedAmount)).toBe(centsOf(lines, 'allowedAmount'));
    expect(cents(claim.planPaidAmount)).toBe(centsOf(lines, 'planPaidAmount'));
    expect(cents(claim.memberResponsibilityAmount)).toBe(centsOf(lines, 'memberResponsibilityAmount'));
    expect(claim.billedAmount).toBeGreaterThanOrEqual(claim.allowedAmount ?? 0);
    expect(cents(claim.allowedAmount)).toBe(cents(claim.planPaidAmount) + cents(claim.memberResponsibilityAmount));
    for (const line of lines) expect(cents(line.planPaidAmount)).toBeGreaterThanOrEqual(0);
  });

  test('explain every dollar that was billed and not paid', () => {
    for (const { eobDocumentLocator, serviceLines } of claims) {
      for (const line of eobDocumentLocator === null ? [] : serviceLines) {
        const adjusted = line.adjustments.reduce((total, { amount }) => total + cents(amount), 0);
        expect(cents(line.planPaidAmount) + adjusted).toBe(cents(line.billedAmount));
      }
    }
  });

  test('cost the member nothing while nobody has decided, or when denied', () => {
    for (const { status, allowedAmount, memberResponsibilityAmount } of claims) {
      if (status === 'received' || status === 'in-review') expect(allowedAmount).toBeNull();
      if (status === 'denied') expect(memberResponsibilityAmount).toBe(0);
    }
  });
});

describe('the accumulators', () => {
  test('leave what is not used, and never more is used than there is', () => {
    for (const { deductible, outOfPocketMaximum } of members.map(({ accumulators }) => accumulators)) {
      for (const tier of [deductible, outOfPocketMaximum].flatMap(({ individual, family }) => [individual, family])) {
        for (const { limit, used, remaining } of [tier.inNetwork, tier.outOfNetwork]) {
          expect(cents(used) + cents(remaining)).toBe(cents(limit));
          expect(remaining).toBeGreaterThanOrEqual(0);
        }
      }
    }
  });

  test('count the claims of the member for the member, of everyone for the family', () => {
    const { deductible, outOfPocketMaximum } = members[0]!.accumulators;
    expect(deductible.individual.inNetwork).toEqual({ limit: 1500, used: 1500, remaining: 0 });
    expect(deductible.family.inNetwork).toEqual({ limit: 3000, used: 2140, remaining: 860 });
    expect(deductible.individual.outOfNetwork).toEqual({ limit: 3000, used: 157.75, remaining: 2842.25 });
    expect(outOfPocketMaximum.individual.inNetwork).toEqual({ limit: 5000, used: 1594, remaining: 3406 });
    expect(outOfPocketMaximum.family.inNetwork).toEqual({ limit: 10_000, used: 2284, remaining: 7716 });
  });
});

describe('the documents', () => {
  test('explain each adjudicated claim of the same member, and no other', () => {
    for (const member of members) {
      const explained = member.documents.filter(({ type }) => type === 'eob');
      const adjudicated = member.claims.filter(({ status }) => status === 'paid' || status === 'denied');
      expect(explained.map(({ claimLocator, locator }) => [claimLocator, locator])).toEqual(
        adjudicated.map(({ locator, eobDocumentLocator }) => [locator, eobDocumentLocator]),
      );
    }
  });

  test('give every member an ID card and a policy', () => {
    for (const { documents: own } of members)
      expect(own.map(({ type }) => type).filter((type) => type !== 'eob')).toEqual(['id-card', 'policy']);
  });

  test.each(documents.map((document) => [document.fileName, document.pdf] as const))('%s is a PDF', (_name, pdf) => {
    const text = Buffer.from(pdf).toString('latin1');
    expect(text.startsWith('%PDF-')).toBe(true);
    expect(text.trimEnd().endsWith('%%EOF')).toBe(true);
  });

  test('are the same bytes every time', async () => {
    const member = members[0]!;
    const again = await policyPdf(member);
    expect(Buffer.from(again).equals(member.documents.find(({ type }) => type === 'policy')!.pdf)).toBe(true);
  });
});
