import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildEnvelope } from './envelope.ts';
import { aLeg } from './leg.fake.ts';

const ids = { transactionId: 'transaction-1', messageId: 'message-1' };
const newYear = 1_767_225_600_007;
const fields = [
  'domain',
  'action',
  'version',
  'bap_id',
  'bap_uri',
  'transaction_id',
  'message_id',
  'timestamp',
  'ttl',
  'city',
];

describe('buildEnvelope', () => {
  it('sets exactly the standard fields, in order', () => {
    expect(JSON.stringify(buildEnvelope(aLeg('moa'), 'dental cover', ids, newYear))).toBe(
      JSON.stringify({
        context: {
          domain: 'schemes:moa',
          action: 'search',
          version: '1.1.0',
          bap_id: 'bap.example.org',
          bap_uri: 'https://bap.example.org',
          transaction_id: 'transaction-1',
          message_id: 'message-1',
          timestamp: '2026-01-01T00:00:00.007Z',
          ttl: 'PT10M',
          city: 'std:080',
        },
        message: {
          intent: {
            category: { descriptor: { code: 'health-cover' } },
            item: { descriptor: { name: 'dental cover' } },
          },
        },
      }),
    );
  });

  it.each([
    'https://bap.example.org',
    'https://bap.example.org/',
    'https://bap.example.org/on_search',
    'https://bap.example.org:8443/a%2Fb/on_search?x=1',
  ])('sends bap_uri as configured: %s', (bapUri) => {
    expect(buildEnvelope(aLeg('mh', { bapUri }), 'x', ids, 0).context.bap_uri).toBe(bapUri);
  });

  it.each([
    [0, '1970-01-01T00:00:00.000Z'],
    [newYear, '2026-01-01T00:00:00.007Z'],
    [newYear + 0.9, '2026-01-01T00:00:00.007Z'],
  ])('formats the timestamp in UTC with milliseconds: %d', (now, timestamp) => {
    expect(buildEnvelope(aLeg('moa'), 'x', ids, now).context.timestamp).toBe(timestamp);
  });

  it('adds extraContext after the standard fields', () => {
    const extraContext = { location: { country: { code: 'IND' } }, core_version: '1.0.0', country: 'IND' };
    const { context } = buildEnvelope(aLeg('moa', { extraContext }), 'x', ids, 0);
    expect(context).toMatchObject(extraContext);
    expect(Object.keys(context)).toEqual([...fields, 'location', 'core_version', 'country']);
  });

  it('ignores standard fields in extraContext', () => {
    const extraContext = { ttl: 'PT1S', ...Object.fromEntries(fields.map((name) => [name, undefined])), zone: 1 };
    const { context } = buildEnvelope(aLeg('moa', { extraContext }), 'x', ids, 0);
    expect(context).toEqual({ ...buildEnvelope(aLeg('moa'), 'x', ids, 0).context, zone: 1 });
    expect(Object.keys(context)).toEqual([...fields, 'zone']);
  });

  it('keeps every standard field with any extraContext', () => {
    const extra = fc.dictionary(fc.oneof(fc.constantFrom(...fields), fc.string()), fc.jsonValue());
    fc.assert(
      fc.property(extra, (extraContext) => {
        const plain = buildEnvelope(aLeg('moa'), 'x', ids, 0);
        const { context } = buildEnvelope(aLeg('moa', { extraContext }), 'x', ids, 0);
        for (const name of fields) expect(context[name]).toBe(plain.context[name]);
        expect(new Set(Object.keys(context))).toEqual(new Set([...fields, ...Object.keys(extraContext)]));
      }),
    );
  });

  it.each(['"quoted"', 'ünïcödé 😀', '{"a":1}', ' '])('uses the query unchanged as item name: %s', (query) => {
    expect(buildEnvelope(aLeg('moa'), query, ids, 0).message.intent.item.descriptor.name).toBe(query);
  });

  it('merges the intents of the leg and of the persona: its own fields win, then the leg', () => {
    const extraIntent = { item: { descriptor: { name: 'X', code: '{persona}' } }, from: 'leg' };
    const personaIntent = { from: 'persona', for: '{user_id}', category: { id: 'X' } };
    const search = { persona: 'broker', userId: 'user-1', personaIntent };
    const { intent } = buildEnvelope(aLeg('moa', { extraIntent }), '{persona}', ids, 0, search).message;
    expect(intent).toEqual({
      category: { descriptor: { code: 'health-cover' }, id: 'X' },
      item: { descriptor: { name: '{persona}', code: 'broker' } },
      from: 'leg',
      for: 'user-1',
    });
  });
});
