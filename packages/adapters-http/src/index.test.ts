import { expect, it } from 'vitest';
import * as door from './index.ts';

it('offers one factory per outside system, and what is needed to check their settings', () => {
  expect(Object.keys(door).toSorted()).toEqual([
    'downstreamPaths',
    'httpClaims',
    'httpConsent',
    'httpDocuments',
    'httpEligibility',
    'httpIdentity',
    'httpNotifications',
    'httpPolicy',
    'pathTemplateProblem',
    'signatureAlgorithms',
    'systemClock',
  ]);
});
