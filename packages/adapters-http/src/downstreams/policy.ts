import type { Policy } from '@portico/core';
import { downstream, type DownstreamSettings } from './downstream.ts';

/** The policy administration system over HTTP. */
export const httpPolicy = (settings: DownstreamSettings<'policy'>): Policy => {
  const policy = downstream('policy', settings);
  return {
    profile: (member) => policy.get('profile', member),
    patchProfile: (member, patch, ifMatch) =>
      policy.send('PATCH', 'patchProfile', member, { body: patch, mediaType: patch.mediaType, ifMatch }),
  };
};
