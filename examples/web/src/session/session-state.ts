import { createContext, use } from 'react';

/** The session of the member who is signed in. */
export interface SessionState {
  /** The member's name, if the provider sends one. */
  readonly name: string | undefined;
  /** Sent with a search (`user_id`). */
  readonly userId: string;
  /** Whether the session ended while a form had unsaved changes. */
  readonly hasEnded: boolean;
  readonly signIn: () => void;
  /** Rejects if the member is still signed in. */
  readonly signOut: () => Promise<void>;
}

export const SessionContext = createContext<SessionState>({
  name: undefined,
  userId: 'member',
  hasEnded: false,
  signIn: () => {},
  signOut: async () => {},
});

export const useSession = (): SessionState => use(SessionContext);
