import type { Consent } from '@portico/core';
import { downstream, type DownstreamSettings } from './downstream.ts';

/** The consent system over HTTP. */
export const httpConsent = (settings: DownstreamSettings<'consent'>): Consent => {
  const consent = downstream('consent', settings);
  return {
    get: (member) => consent.get('get', member),
    replace: (member, state, ifMatch) => consent.send('PUT', 'replace', member, { body: state, ifMatch }),
  };
};
