import type { Policy } from '@portico/core';
import { downstream, type DownstreamSettings } from './downstream.ts';

const paths = {
  profile: '/parties/{partyLocator}',
  patchProfile: '/parties/{partyLocator}',
};

/** The policy administration system over HTTP. */
export const httpPolicy = (settings: DownstreamSettings<keyof typeof paths>): Policy => {
  const policy = downstream('policy', settings, paths);
  return {
    profile: (member) => policy.get('profile', member),
    patchProfile: (member, patch) =>
      policy.send('PATCH', 'patchProfile', member, patch, { 'content-type': patch.mediaType }),
  };
};
