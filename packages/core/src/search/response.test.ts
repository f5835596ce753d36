import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { legOutcomeText, searchResponseText, sellerCallbackText } from './response.ts';
import { collected, type LegOutcome, type SellerCallback } from './leg-outcome.ts';
import { aLeg, anOnSearch } from './leg.fake.ts';

const delivered = (id: string, text = anOnSearch(`${id}-1`).text): LegOutcome => ({
  leg: aLeg(id, { label: `Label of ${id}` }),
  transactionId: `${id}-1`,
  elapsedMs: 2_304,
  callback: { text, value: JSON.parse(text) as unknown },
});

const failed = (id: string, kind: 'bap_unreachable' | 'timeout' = 'timeout'): LegOutcome => ({
  leg: aLeg(id, { label: `Label of ${id}` }),
  transactionId: `${id}-1`,
  elapsedMs: 10_000,
  error: { kind, detail: `why ${id} failed` },
});

describe('searchResponseText', () => {
  it('contains the result and the trace of each leg, and no errors, when all legs succeed', () => {
    expect(
      searchResponseText({ elapsedMs: 2_310, legs: [delivered('moa', '{"a":1}'), delivered('mh', '{"b":2}')] }),
    ).toBe(
      '{"elapsed_ms":2310,"moa":{"a":1},"mh":{"b":2},"traces":{' +
        '"moa":{"transaction_id":"moa-1","elapsed_ms":2304,"label":"Label of moa"},' +
        '"mh":{"transaction_id":"mh-1","elapsed_ms":2304,"label":"Label of mh"}}}',
    );
  });

  it('contains the error of a failed leg and the result of the other', () => {
    expect(searchResponseText({ elapsedMs: 10_000, legs: [delivered('moa', '{"a":1}'), failed('mh')] })).toBe(
      '{"elapsed_ms":10000,"moa":{"a":1},"mh":null,' +
        '"errors":{"mh":{"kind":"timeout","detail":"why mh failed"}},"traces":{' +
        '"moa":{"transaction_id":"moa-1","elapsed_ms":2304,"label":"Label of moa"},' +
        '"mh":{"transaction_id":"mh-1","elapsed_ms":10000,"label":"Label of mh"}}}',
    );
  });

  it('contains the errors of all legs when every leg fails', () => {
    expect(searchResponseText({ elapsedMs: 10_000, legs: [failed('moa', 'bap_unreachable'), failed('mh')] })).toBe(
      '{"elapsed_ms":10000,"moa":null,"mh":null,"errors":{' +
        '"moa":{"kind":"bap_unreachable","detail":"why moa failed"},' +
        '"mh":{"kind":"timeout","detail":"why mh failed"}},"traces":{' +
        '"moa":{"transaction_id":"moa-1","elapsed_ms":10000,"label":"Label of moa"},' +
        '"mh":{"transaction_id":"mh-1","elapsed_ms":10000,"label":"Label of mh"}}}',
    );
  });

  it.each([
    '{"price":12345678901234567890.1234567890}',
    '{"n":1.0,"e":1e400,"z":-0}',
    '{ "b" : 1,\n\t"a" : [ ] }\r\n',
    '{"escaped":"\\u00e9\\/\\ud83d\\ude00","plain":"é/😀"}',
    '{"a":1,"a":2}',
    '{"line":"\u2028"}',
    '{"__proto__":{"a":1}}',
  ])('contains a callback body byte for byte: %s', (text) => {
    expect(searchResponseText({ elapsedMs: 1, legs: [delivered('moa', text), failed('mh')] })).toContain(
      `"moa":${text},"mh":null`,
    );
    expect(legOutcomeText(delivered('moa', text))).toContain(`"result":${text},"trace"`);
  });

  it.each(['__proto__', 'constructor', 'toString', '"quoted"', 'ünïcödé', '1', ''])(
    'contains result, error and trace of a leg with the id %s',
    (id) => {
      const response = JSON.parse(
        searchResponseText({ elapsedMs: 1, legs: [failed(id), delivered('mh', '{}')] }),
      ) as object;
      expect(Object.getOwnPropertyDescriptor(response, id)?.value).toBeNull();
      for (const part of ['errors', 'traces'])
        expect(Object.hasOwn(Object.getOwnPropertyDescriptor(response, part)?.value as object, id)).toBe(true);
    },
  );

  it('returns valid JSON with the outcome of each leg, for any outcomes', () => {
    const outcome = fc.oneof(
      fc
        .jsonValue()
        .map((value) => ({ value, outcome: (id: string) => delivered(id, JSON.stringify(value, null, 1)) })),
      fc.string().map((detail) => ({
        value: null,
        outcome: (id: string): LegOutcome => ({ ...failed(id), error: { kind: 'timeout', detail } }),
      })),
    );
    fc.assert(
      fc.property(fc.array(outcome, { minLength: 1, maxLength: 8 }), (outcomes) => {
        const legs = outcomes.map((one, leg) => one.outcome(`leg-${leg}`));
        const response = JSON.parse(searchResponseText({ elapsedMs: 7, legs })) as Record<string, unknown>;
        for (const [leg, { value }] of outcomes.entries())
          expect(JSON.stringify(response[`leg-${leg}`])).toBe(JSON.stringify(value));
        expect('errors' in response).toBe(legs.some((one) => 'error' in one));
      }),
    );
  });
});

describe('legOutcomeText', () => {
  it('contains the result and trace of a leg', () => {
    expect(legOutcomeText(delivered('moa', '{"a":1.0}'))).toBe(
      '{"leg":"moa","result":{"a":1.0},"trace":{"transaction_id":"moa-1","elapsed_ms":2304,"label":"Label of moa"}}',
    );
  });

  it('contains the error of a failed leg', () => {
    expect(legOutcomeText(failed('mh', 'bap_unreachable'))).toBe(
      '{"leg":"mh","result":null,"error":{"kind":"bap_unreachable","detail":"why mh failed"},' +
        '"trace":{"transaction_id":"mh-1","elapsed_ms":10000,"label":"Label of mh"}}',
    );
  });
});

describe('sellerCallbackText', () => {
  const callback: SellerCallback = {
    leg: aLeg('mh'),
    sellerId: 'bpp.example',
    messageId: 'm-1',
    elapsedMs: 7,
    callback: { text: '{"a":1.0}', value: { a: 1 } },
  };

  it('contains the body of the seller byte for byte', () => {
    expect(sellerCallbackText(callback)).toBe('{"leg":"mh","bpp_id":"bpp.example","result":{"a":1.0}}');
  });

  it('contains the error of a seller in place of its body', () => {
    const error = { code: '30001', message: 'No stock' };
    expect(sellerCallbackText({ ...callback, sellerId: null, error })).toBe(
      '{"leg":"mh","bpp_id":null,"result":null,"error":{"code":"30001","message":"No stock"}}',
    );
  });

  it('the value of what a leg has collected is its text, parsed', () => {
    const end = collected([callback, { ...callback, error: { code: '', message: '' } }, callback]);
    expect(end).toMatchObject({
      callback: { text: '{"responses":[{"a":1.0},{"a":1.0}]}', value: { responses: [{ a: 1 }, { a: 1 }] } },
    });
  });
});
