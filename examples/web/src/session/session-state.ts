import { createContext } from 'react';

export interface SessionState {
  /** Whether the server refused the token while a form had unsaved changes. */
  readonly hasEnded: boolean;
  readonly signIn: () => void;
}

export const SessionContext = createContext<SessionState>({ hasEnded: false, signIn: () => {} });
