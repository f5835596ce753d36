/** What a settings file needs of the server, without loading Koa. */
export { isProxyNetwork } from './request/network.ts';
export { serverDefaults } from './server/defaults.ts';
