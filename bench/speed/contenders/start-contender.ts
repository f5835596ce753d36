import { serviceNames } from '@portico/core';
import { type Child, start } from '../../child-process.ts';
import { startPortico } from '../../portico.ts';
import { issuer } from '../../tokens.ts';

const scripts = {
  'Fastify + reply-from + jose': 'fastify-reply-from.ts',
  'Koa + ky + jose': 'koa-ky.ts',
  'node:http + undici, no check': 'bare.ts',
} as const;

export type OtherName = keyof typeof scripts;

export type ContenderName = 'Portico' | OtherName;

export type StartContender = (name: ContenderName) => Promise<Child>;

/** Settings of a server whose member routes relay to this URL. */
export const memberSettings = (downstreamUrl: string) => ({
  listen: { host: '127.0.0.1', port: 0 },
  identity: { issuer, audience: ['portico'], jwksUrl: `${downstreamUrl}/jwks` },
  downstreams: Object.fromEntries(serviceNames.map((service) => [service, { url: downstreamUrl }])),
  // The limit is checked but never reached: the load represents more members than it has tokens.
  limits: { memberRequests: { requests: 1_000_000_000, seconds: 60 } },
});

/** Starts a program that serves the member routes from this downstream URL. */
export const contenderStarter =
  (downstreamUrl: string, folder: string): StartContender =>
  (name) => {
    if (name === 'Portico') return startPortico(memberSettings(downstreamUrl), folder);
    return start(new URL(scripts[name], import.meta.url), { args: [`${downstreamUrl}/jwks`, downstreamUrl] });
  };
