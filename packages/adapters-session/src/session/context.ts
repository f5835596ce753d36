import { type Clock, memoryReplayGuard, type ReplayGuard, type SessionStore } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { type CookieNames, cookieNames } from '../cookies/cookie-header.ts';
import { digest, type Sealer, sealer } from '../cookies/sealer.ts';
import { sessionDefaults } from '../defaults.ts';
import type { SessionEvent } from '../events.ts';
import { discovery, type Provider } from '../provider/discovery.ts';
import { providerFetch } from '../provider/provider-fetch.ts';
import { secureUrl } from '../provider/provider-url.ts';
import { type TokenEndpoint, tokenEndpoint } from '../provider/token-endpoint.ts';
import type { SessionSettings } from '../settings.ts';
import { cookieKeeper } from './cookie-keeper.ts';
import type { SessionKeeper } from './keeper.ts';
import { type Refresher, refresher } from './refresher.ts';
import type { Lifetimes } from './session.ts';
import { storeKeeper } from './store-keeper.ts';

/** What the routes of a session share. */
export interface SessionContext {
  /** As in the settings: the provider may write it with or without a slash at the end. */
  readonly issuer: string;
  readonly clientId: string;
  /** Without a slash at the end. */
  readonly publicUrl: string;
  /** Replaces the logout page of the provider. */
  readonly logoutUrl: string | undefined;
  readonly names: CookieNames;
  readonly sealer: Sealer;
  readonly lifetimes: Lifetimes;
  readonly store: SessionStore | undefined;
  readonly replays: ReplayGuard;
  readonly clock: Clock;
  readonly clockToleranceSeconds: number;
  readonly keeper: SessionKeeper;
  readonly refresher: Refresher;
  readonly endpoint: TokenEndpoint;
  /** Rejects with a `ProviderError`. */
  readonly findProvider: () => Promise<Provider>;
  readonly emit: (event: SessionEvent) => void;
}

/** 31 years in seconds. Much larger numbers are no dates. */
const maxSetting = 1e9;

/** Creates what the routes share. Throws a TypeError for settings that are not valid; it repeats no secret. */
export const sessionContext = (settings: SessionSettings): SessionContext => {
  const { issuer, client, store, clock = systemClock, timeoutMs = sessionDefaults.timeoutMs } = settings;
  const { idleSeconds = sessionDefaults.idleSeconds, absoluteSeconds = sessionDefaults.absoluteSeconds } = settings;
  for (const [name, value] of Object.entries({ idleSeconds, absoluteSeconds, timeoutMs }))
    if (!(value > 0 && value <= maxSetting))
      throw new TypeError(`sessions: ${name} must be more than 0 and at most ${maxSetting}`);
  const { clockToleranceSeconds = sessionDefaults.clockToleranceSeconds } = settings;
  if (!(clockToleranceSeconds >= 0 && Number.isFinite(clockToleranceSeconds)))
    throw new TypeError('sessions: clockToleranceSeconds must be a number from 0 on');
  const emit = quietly(settings.onEvent);
  const url = secureUrl(settings.publicUrl, 'publicUrl');
  if (url.search || url.hash || url.username || url.password)
    throw new TypeError('sessions: publicUrl must have no query, fragment or credentials');
  const lifetimes = { idleSeconds, absoluteSeconds };
  const sealing = sealer(settings.keys);
  const { fetch: send = globalThis.fetch } = settings;
  const request = { fetch: providerFetch({ fetch: send, clock, timeoutMs }), clock };
  const findProvider = discovery(issuer, request);
  const maxAge = settings.authorizeParameters?.['max_age'];
  const endpoint = tokenEndpoint(client, {
    ...request,
    clockToleranceSeconds,
    ...(maxAge !== undefined && { maxAge: Number(maxAge) }),
  });
  const provider = digest(JSON.stringify([issuer, client.id])).slice(0, 12);
  const keeper = store
    ? storeKeeper({ store, sealer: sealing, provider, issuer, lifetimes, clock, timeoutMs })
    : cookieKeeper({ sealer: sealing, provider });
  return {
    issuer,
    clientId: client.id,
    publicUrl: url.href.replace(/\/+$/, ''),
    logoutUrl: settings.logoutUrl === undefined ? undefined : secureUrl(settings.logoutUrl, 'logoutUrl').href,
    names: cookieNames(url.protocol === 'https:'),
    sealer: sealing,
    lifetimes,
    store,
    replays: settings.replays ?? memoryReplayGuard({ clock }),
    clock,
    clockToleranceSeconds,
    keeper,
    refresher: refresher({ keeper, findProvider, endpoint, clock, emit }),
    endpoint,
    findProvider,
    emit,
  };
};

/** A report must not end a request, or the refresh that several requests wait for. */
const quietly =
  (onEvent: SessionSettings['onEvent']) =>
  (event: SessionEvent): void => {
    try {
      onEvent?.(event);
    } catch {
      // Events are reports only.
    }
  };
