// Limits of the system under test. Short deadlines, so that many faults fit into a short run.
export const serviceLimits = { timeoutMs: 2000, breakForMs: 1000 };
export const searchLimits = { timeoutMs: 2500, ackTimeoutMs: 1500 };
/** The response limit is below the response of the fault "too large" and above the largest valid response. */
export const sizeLimits = { maxRequestBytes: 65_536, maxResponseBytes: 262_144 };
