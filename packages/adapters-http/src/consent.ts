import type { Consent } from '@portico/core';
import { downstream, type DownstreamSettings } from './downstream.ts';

const paths = {
  get: '/consent/{partyLocator}',
  replace: '/consent/{partyLocator}',
};

/** The consent system over HTTP. */
export const httpConsent = (settings: DownstreamSettings<keyof typeof paths>): Consent => {
  const consent = downstream('consent', settings, paths);
  return {
    get: (member) => consent.get('get', member),
    replace: (member, state) => consent.send('PUT', 'replace', member, state),
  };
};
