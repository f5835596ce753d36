import {
  httpClaims,
  httpConsent,
  httpDocuments,
  httpEligibility,
  httpNotifications,
  httpPolicy,
  type ServiceSettings,
} from '@portico/adapters-http';
import type { ServiceName } from '@portico/core';
import {
  claimsContract,
  consentContract,
  documentsContract,
  eligibilityContract,
  notificationsContract,
  policyContract,
  type TestRunner,
} from '@portico/core/testing';
import type { Skip } from './run-suite.ts';
import { type SubjectMaker, subjectMaker, type SubjectSettings } from './subject.ts';

/** Runs the contract suite of a service against its HTTP adapter. */
export type Suite = (runner: TestRunner, settings: ServiceSettings, subject: SubjectSettings, skip: Skip) => void;

export const builtInSuite =
  (service: ServiceName): Suite =>
  (runner, settings, subject, skip) =>
    suites[service](runner, settings, subjectMaker(subject, skip));

type BuiltInSuite = (runner: TestRunner, settings: ServiceSettings, subject: SubjectMaker) => void;

/** The suite of each service. A new adapter for each promise: one circuit breaker would spread a failure to the next. */
const suites: Readonly<Record<ServiceName, BuiltInSuite>> = {
  eligibility: (runner, settings, subject) =>
    eligibilityContract(runner, () => subject({ eligibility: httpEligibility(settings) })),
  claims: (runner, settings, subject) =>
    claimsContract(runner, () => subject({ claims: httpClaims(settings) }, ['submit'])),
  documents: (runner, settings, subject) =>
    documentsContract(runner, () => subject({ documents: httpDocuments(settings) })),
  policy: (runner, settings, subject) =>
    policyContract(runner, () => subject({ policy: httpPolicy(settings) }, ['patchProfile'])),
  notifications: (runner, settings, subject) =>
    notificationsContract(runner, () =>
      subject({ notifications: httpNotifications(settings) }, ['replacePreferences']),
    ),
  consent: (runner, settings, subject) =>
    consentContract(runner, () => subject({ consent: httpConsent(settings) }, ['replace'])),
};
