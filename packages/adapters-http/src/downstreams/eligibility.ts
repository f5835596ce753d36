import type { Eligibility } from '@portico/core';
import { downstream, type DownstreamSettings } from './downstream.ts';

/** The eligibility system over HTTP. */
export const httpEligibility = (settings: DownstreamSettings<'eligibility'>): Eligibility => {
  const eligibility = downstream('eligibility', settings);
  return {
    coverage: (member) => eligibility.get('coverage', member),
    accumulators: (member) => eligibility.get('accumulators', member),
  };
};
