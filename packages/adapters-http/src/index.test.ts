import { expect, it } from 'vitest';
import * as door from './index.ts';

it('offers one factory per outside system, the signatures of Beckn, and what is needed to check settings', () => {
  expect(Object.keys(door).toSorted()).toEqual([
    'becknRegistry',
    'becknSigner',
    'becknVerifier',
    'downstreamPaths',
    'httpClaims',
    'httpConsent',
    'httpDocuments',
    'httpEligibility',
    'httpIdentity',
    'httpNotifications',
    'httpPolicy',
    'httpSearchTransport',
    'isCurrent',
    'parseSignatureHeader',
    'pathTemplateProblem',
    'publicKeyOf',
    'randomIds',
    'signatureAlgorithms',
    'systemClock',
    'verifySignature',
  ]);
});
