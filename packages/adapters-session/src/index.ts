export { readSessionKey } from './cookies/sealer.ts';
export { sessionDefaults } from './defaults.ts';
export type { SessionEvent } from './events.ts';
export { type SentProblem, sentProblem } from './http/reply.ts';
export { sessions } from './sessions.ts';
export {
  type HandleRequest,
  type SessionClient,
  type SessionHandler,
  sessionPaths,
  type SessionSettings,
} from './settings.ts';
