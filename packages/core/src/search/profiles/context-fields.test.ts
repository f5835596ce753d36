import { expect, it } from 'vitest';
import { contextFields } from './context-fields.ts';

const fields = { transactionId: 't', messageId: 'm', bapId: 'bap', sellerId: 'bpp', domain: 'd', action: 'a' };

it('contextFields reads a context with names in snake case, in camel case and of UHI', () => {
  const common = { domain: 'd', action: 'a' };
  const snakeCase = { ...common, transaction_id: 't', message_id: 'm', bap_id: 'bap', bpp_id: 'bpp' };
  const camelCase = { ...common, transactionId: 't', messageId: 'm', bapId: 'bap', bppId: 'bpp' };
  expect(contextFields(snakeCase)).toEqual(fields);
  expect(contextFields(camelCase)).toEqual(fields);
  const uhi = { ...snakeCase, bap_id: null, bpp_id: null, consumer_id: 'bap', provider_id: 'bpp' };
  expect(contextFields(uhi)).toEqual(fields);
  expect(contextFields({ ...camelCase, transaction_id: 'first' }).transactionId).toBe('first');
});

it.each([undefined, null, 'text', 5, [], {}])('contextFields reads no field of the context %j', (context) => {
  expect(new Set(Object.values(contextFields(context)))).toEqual(new Set([undefined]));
});

it.each([
  [{ bpp_id: 'bpp', bppId: 'bpp' }, 'bpp'],
  [{ bpp_id: null, bppId: 'bpp' }, 'bpp'],
  [{ bpp_id: 'bpp', bppId: null }, 'bpp'],
  [{ bpp_id: 'bpp', bppId: 'other' }, undefined],
  [{ bpp_id: 'bpp', bppId: ['bpp'] }, undefined],
  [{ bpp_id: 'bpp', 'beckn:bppId': 'other' }, undefined],
  [{ bpp_id: 'bpp', provider_id: 'other' }, 'bpp'],
  [{ 'beckn:bppId': 'bpp', provider_id: 'other' }, 'bpp'],
  [{ bpp_id: 'bpp', bppId: 'other', provider_id: 'bpp' }, undefined],
  [{ bpp_id: null, provider_id: null }, undefined],
])('contextFields reads the seller of %j only if it has one id', (context, sellerId) => {
  expect(contextFields(context).sellerId).toBe(sellerId);
});

it('contextFields reads no buyer in a context whose names for it are null', () => {
  expect(contextFields({ bap_id: null, consumer_id: null }).bapId).toBeUndefined();
});
