import { expect, it } from 'vitest';
import { discoveryUrl, isEndpointOf } from './discovery.ts';

it.each(['https://id.example/realms/a', 'https://id.example/realms/a/', 'https://id.example/realms/a//'])(
  'discoveryUrl removes slashes at the end of the issuer %s',
  (issuer) => {
    expect(discoveryUrl(issuer)).toBe('https://id.example/realms/a/.well-known/openid-configuration');
  },
);

it.each([
  ['https://id.example', 'https://id.example/keys', true],
  ['https://id.example', 'HTTPS://id.example/keys', true],
  ['https://id.example', 'http://id.example/keys', false],
  ['HTTPS://id.example', 'http://id.example/keys', false],
  ['http://127.0.0.1', 'http://127.0.0.1/keys', true],
  ['http://127.0.0.1', 'https://id.example/keys', true],
  ['http://127.0.0.1', 'file:///keys', false],
  ['https://id.example', ['https://id.example/keys'], false],
  ['https://id.example', undefined, false],
])(
  'isEndpointOf accepts an http or https URL, and of an https issuer only https: %s, %j',
  (issuer, value, expected) => {
    expect(isEndpointOf(issuer, value)).toBe(expected);
  },
);
