import { describe, expect, it } from 'vitest';
import { buildEnvelope } from '../envelope.ts';
import { aLeg } from '../leg.fake.ts';
import type { Leg } from '../leg.ts';
import type { NetworkProfile } from './network-profile.ts';
import { callbackActions, networkProfiles, profileOf } from './profiles.ts';

const ids = { transactionId: 'transaction-1', messageId: 'message-1' };
const newYear = 1_767_225_600_007;
const envelopeOf = (differences: Partial<Leg>) => buildEnvelope(aLeg('net', differences), 'dental', ids, newYear);

/** The fields that every version has, in snake case. */
const common = {
  domain: 'schemes:net',
  bap_id: 'bap.example.org',
  bap_uri: 'https://bap.example.org',
  transaction_id: 'transaction-1',
  message_id: 'message-1',
  timestamp: '2026-01-01T00:00:00.007Z',
  ttl: 'PT10M',
};

describe('the profile beckn-1.1', () => {
  it('is the default, and adds nothing to the envelope of a leg without extraIntent', () => {
    expect(profileOf(aLeg('moa'))).toBe(networkProfiles['beckn-1.1']);
    expect(envelopeOf({ profile: 'beckn-1.1' })).toEqual(envelopeOf({}));
  });
});

describe('the profile beckn-0.9', () => {
  it('sends core_version, country and city in the context', () => {
    expect(envelopeOf({ profile: 'beckn-0.9', version: '0.9.4', country: 'NPL' })).toEqual({
      context: { ...common, action: 'search', core_version: '0.9.4', country: 'NPL', city: 'std:080' },
      message: {
        intent: { category: { descriptor: { code: 'health-cover' } }, item: { descriptor: { name: 'dental' } } },
      },
    });
  });

  it('sends the country IND when the leg has none, and ignores a country in extraContext', () => {
    const { context } = envelopeOf({
      profile: 'beckn-0.9',
      extraContext: { country: 'X', core_version: 'X', key: 'k' },
    });
    expect(context).toMatchObject({ country: 'IND', core_version: '1.1.0', key: 'k' });
  });
});

describe('the profile ondc-1.2', () => {
  it('sends the category id and the finder fee of the buyer application', () => {
    const finderFee = { type: 'percent', amount: '3' } as const;
    expect(envelopeOf({ profile: 'ondc-1.2', version: '1.2.0', finderFee })).toEqual({
      context: { ...common, action: 'search', core_version: '1.2.0', country: 'IND', city: 'std:080' },
      message: {
        intent: {
          category: { id: 'health-cover' },
          item: { descriptor: { name: 'dental' } },
          payment: {
            '@ondc/org/buyer_app_finder_fee_type': 'percent',
            '@ondc/org/buyer_app_finder_fee_amount': '3',
          },
        },
      },
    });
  });

  it('adds tags and payment fields of extraIntent, but not another finder fee', () => {
    const tags = [{ code: 'bap_terms', list: [{ code: 'static_terms', value: '' }] }];
    const payment = { '@ondc/org/buyer_app_finder_fee_amount': '99', type: 'ON-ORDER' };
    const { message } = envelopeOf({
      profile: 'ondc-1.2',
      finderFee: { type: 'amount', amount: '2.50' },
      extraIntent: { tags, payment },
    });
    expect(message.intent).toMatchObject({
      tags,
      payment: { '@ondc/org/buyer_app_finder_fee_amount': '2.50', type: 'ON-ORDER' },
    });
  });
});

describe('the profile beckn-2.0', () => {
  it('sends discover with camel case names and the query as textSearch', () => {
    const leg = { profile: 'beckn-2.0', version: '2.0.0', extraIntent: { filters: { type: 'jsonpath' } } } as const;
    expect(envelopeOf(leg)).toEqual({
      context: {
        domain: 'schemes:net',
        action: 'discover',
        version: '2.0.0',
        bapId: 'bap.example.org',
        bapUri: 'https://bap.example.org',
        transactionId: 'transaction-1',
        messageId: 'message-1',
        timestamp: '2026-01-01T00:00:00.007Z',
        ttl: 'PT10M',
        location: { city: { code: 'std:080' } },
      },
      message: { intent: { textSearch: 'dental', filters: { type: 'jsonpath' } } },
    });
  });

  it('sends snake case names and text_search to a network that uses a draft', () => {
    const leg = { profile: 'beckn-2.0', fieldNames: 'snake_case', extraIntent: { spatial: [] } } as const;
    expect(envelopeOf(leg)).toEqual({
      context: { ...common, action: 'discover', version: '1.1.0', location: { city: { code: 'std:080' } } },
      message: { text_search: 'dental', spatial: [] },
    });
  });

  it('adds to the location from extraContext, and keeps the other fields', () => {
    const extraContext = {
      networkId: 'acmenet.org/health',
      transactionId: 'X',
      location: { country: { code: 'IND' }, city: { code: 'X' } },
    };
    expect(envelopeOf({ profile: 'beckn-2.0', extraContext }).context).toMatchObject({
      networkId: 'acmenet.org/health',
      transactionId: 'transaction-1',
      location: { country: { code: 'IND' }, city: { code: 'std:080' } },
    });
  });
});

describe('a profile of your own', () => {
  const own: NetworkProfile = {
    ...networkProfiles['beckn-1.1'],
    buildEnvelope: ({ transactionId, intent, query }) => ({
      context: { id: transactionId },
      message: { query, intent },
    }),
  };

  it('builds the envelope from the search and the merged intent', () => {
    expect(envelopeOf({ profile: own, extraIntent: { note: 'about {query}' } })).toEqual({
      context: { id: 'transaction-1' },
      message: { query: 'dental', intent: { note: 'about dental' } },
    });
  });
});

it('callbackActions has the callback actions of Beckn 1.1 and 2.0, and no request', () => {
  expect([...callbackActions]).toEqual(['on_search', 'on_discover']);
});
