import { expect, it } from 'vitest';
import * as entryPoint from './index.ts';

it('exports one factory per external system, the Beckn signatures, and the defaults and checks for settings', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'becknRegistry',
    'becknSigner',
    'becknVerifier',
    'diagnoseToken',
    'downstreamPaths',
    'guardDefaults',
    'httpClaims',
    'httpConsent',
    'httpDefaults',
    'httpDocuments',
    'httpEligibility',
    'httpIdentity',
    'httpNotifications',
    'httpPolicy',
    'httpSearchTransport',
    'httpService',
    'identityDefaults',
    'isCurrent',
    'parseSignatureHeader',
    'pathTemplateProblem',
    'publicKeyOf',
    'searchTransportDefaults',
    'signatureAlgorithms',
    'summarizeKeys',
    'verifySignature',
  ]);
});
