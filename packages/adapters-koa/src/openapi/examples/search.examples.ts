/**
 * Examples of the OpenAPI document, equal to what the sandbox returns (e2e/documentation/openapi.test.ts), except for ids,
 * times, URLs and versions. Lists are shortened.
 */

export const searchRequest = { persona: 'member', query: 'health', user_id: 'u-1' };

const moa = {
  context: {
    domain: 'schemes:moa',
    action: 'on_search',
    version: '1.1.0',
    bap_id: 'bap.portico.example',
    bap_uri: 'https://portico.example.com',
    transaction_id: 'f3b8f6f0-6a57-4d2e-9f2c-0a8f5a4f9e11',
    message_id: 'fccf771b-0785-4dcf-9d48-85debadfbc75',
    timestamp: '2026-06-18T10:00:02.465Z',
    ttl: 'PT10M',
    city: 'std:080',
    bpp_id: 'schemes.moa.example',
    bpp_uri: 'https://schemes.moa.example',
  },
  message: {
    catalog: {
      descriptor: { name: 'Public welfare schemes' },
      providers: [
        {
          id: 'agency-health-assurance',
          descriptor: { name: 'Agency for Health Assurance' },
          items: [
            {
              id: 'ha-family-cover',
              descriptor: {
                name: 'Family Health Cover',
                short_desc: 'Hospital insurance for low-income families, up to 500000 a year',
              },
            },
          ],
        },
      ],
    },
  },
};

const mh = {
  context: {
    domain: 'retail',
    action: 'on_search',
    version: '1.1.0',
    bap_id: 'bap.portico.example',
    bap_uri: 'https://portico.example.com/on_search',
    transaction_id: '0c1b7a52-1f0e-4d57-8a3f-6d0b7f3f2a90',
    message_id: '96b2786f-96a0-4498-b07a-a6dc4aaefa1d',
    timestamp: '2026-06-18T10:00:03.113Z',
    ttl: 'PT10M',
    city: 'std:080',
    bpp_id: 'retail.mh.example',
    bpp_uri: 'https://retail.mh.example',
  },
  message: {
    catalog: {
      'bpp/descriptor': { name: 'Health retail' },
      'bpp/providers': [
        {
          id: 'shop-home-diagnostics',
          descriptor: { name: 'Home Diagnostics Store' },
          items: [
            {
              id: 'hd-bp-monitor',
              descriptor: { name: 'Blood pressure monitor' },
              price: { currency: 'INR', value: '1899.00' },
            },
          ],
        },
      ],
    },
  },
};

export const searchResponse = {
  elapsed_ms: 3113,
  moa,
  mh,
  traces: {
    moa: {
      transaction_id: 'f3b8f6f0-6a57-4d2e-9f2c-0a8f5a4f9e11',
      elapsed_ms: 2465,
      label: 'Welfare schemes',
    },
    mh: {
      transaction_id: '0c1b7a52-1f0e-4d57-8a3f-6d0b7f3f2a90',
      elapsed_ms: 3113,
      label: 'Health retail',
    },
  },
};

/** The smallest useful callback. */
export const callback = {
  context: { action: 'on_search', transaction_id: moa.context.transaction_id, bpp_id: 'schemes.moa.example' },
  message: { catalog: { providers: [] } },
};

/** The smallest useful callback of Beckn 2.0. */
export const discoverCallback = {
  context: { action: 'on_discover', transactionId: moa.context.transaction_id, bppId: 'schemes.moa.example' },
  message: { catalogs: [] },
};

export const health = {
  status: 'ok',
  version: '1.0.0',
  uptime_s: 3600,
  pending: 0,
  callbacks: { delivered: 0, duplicate: 0, late: 0, unknown: 0, rejected: 0, mismatched: 0 },
};

export const legs = {
  legs: [
    {
      id: 'moa',
      label: 'Welfare schemes',
      domain: 'schemes:moa',
      version: '1.1.0',
      city: 'std:080',
      category_code: 'welfare-schemes',
      bap_id: 'bap.portico.example',
      bap_uri: 'https://portico.example.com',
      gateway_url: 'https://schemes.moa.example',
      gateway_path: '/search',
      ttl: 'PT10M',
    },
    {
      id: 'mh',
      label: 'Health retail',
      domain: 'retail',
      version: '1.1.0',
      city: 'std:080',
      category_code: 'health-retail',
      bap_id: 'bap.portico.example',
      bap_uri: 'https://portico.example.com/on_search',
      gateway_url: 'https://adapter.mh.example',
      gateway_path: '/bap/caller/search/',
      ttl: 'PT10M',
    },
  ],
};
