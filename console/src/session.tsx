/** Session of the console. The token is stored for this tab only. */
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
  /** Ends the session. @param reason shown on the sign-in page; undefined when the user signed out */
  signOut(reason?: string): void;
}

const SessionContext = createContext<Session | null>(null);

/** Provides a session to its children. */
export const SessionProvider = SessionContext.Provider;

/** Returns the current session. */
export function useSession(): Session {
  const session = use(SessionContext);
  if (session === null) throw new Error('useSession needs a SessionProvider.');
  return session;
}

/** Returns the sign-out function; undefined without a session. */
export function useSignOut(): Session['signOut'] | undefined {
  return use(SessionContext)?.signOut;
}
