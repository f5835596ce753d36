import type { Eligibility } from '@portico/core';
import { downstream, type DownstreamSettings } from './downstream.ts';

const paths = {
  coverage: '/members/{partyLocator}/coverage',
  accumulators: '/members/{partyLocator}/accumulators',
};

/** The eligibility system over HTTP. */
export const httpEligibility = (settings: DownstreamSettings<keyof typeof paths>): Eligibility => {
  const eligibility = downstream('eligibility', settings, paths);
  return {
    coverage: (member) => eligibility.get('coverage', member),
    accumulators: (member) => eligibility.get('accumulators', member),
  };
};
