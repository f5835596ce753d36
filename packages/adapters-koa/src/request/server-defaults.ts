/** The roles of an instance. */
export const serverRoles = ['member', 'search', 'callbacks'] as const;

/** `member`: `/me/*`. `search`: `/api/search`. `callbacks`: `/on_search`, `/on_discover`, `/health` and `/api/legs`. */
export type ServerRole = (typeof serverRoles)[number];

/** Defaults of the server (contract, sections 2 and 5): sizes in bytes, times in milliseconds. */
export const serverDefaults = {
  maxRequestBytes: 262_144,
  maxIncompleteBodies: 512,
  maxCallbackBytes: 5_242_880,
  maxUnsentBytes: 134_217_728,
  callbackGate: { maxHeldBytes: 134_217_728, maxWaiting: 1000 },
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  idleTimeoutMs: 60_000,
  keepAliveTimeoutMs: 65_000,
  maxConnections: 16_000,
  maxHeaderBytes: 16_384,
  drainLimitMs: 10_000,
} as const;
