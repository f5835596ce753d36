export { type SessionEvent, type SignInError, signInErrors } from './events.ts';
export { type SessionClient, type SessionHandler, sessionPaths, type SessionSettings } from './settings.ts';
