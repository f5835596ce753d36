/** Validation and defaults for settings files, without loading Koa. */
export { isProxyNetwork } from './request/network.ts';
export { serverDefaults, serverRoles } from './request/server-defaults.ts';
