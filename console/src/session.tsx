/** Who is signed in: the token, kept for this tab alone and nowhere else, and why the last session ended. */
import { createContext, use } from 'react';
import type { ApiClient } from './api/api-client.ts';

const tokenStorageKey = 'runyard.token';

/** The token of this tab. */
export const storedToken = {
  read: (): string | null => sessionStorage.getItem(tokenStorageKey),
  save: (token: string): void => sessionStorage.setItem(tokenStorageKey, token),
  clear: (): void => sessionStorage.removeItem(tokenStorageKey),
} as const;

export interface Session {
  readonly apiClient: ApiClient;
  readonly userName: string;
  /** Ends the session. @param reason why, for the sign-in page; without one it was wished */
  signOut(reason?: string): void;
}

const SessionContext = createContext<Session | null>(null);

/** Gives a session to all that is below. */
export const SessionProvider = SessionContext.Provider;

/** The session that the page is shown in. */
export function useSession(): Session {
  const session = use(SessionContext);
  if (session === null) throw new Error('useSession is called outside of a session.');
  return session;
}

/** The way out of the session; undefined where nobody is signed in. */
export function useSignOut(): Session['signOut'] | undefined {
  return use(SessionContext)?.signOut;
}
