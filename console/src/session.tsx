/** Who is signed in: the token, kept for this tab alone and nowhere else, and why the last session ended. */
import { createContext, use } from 'react';
import type { Sender } from './api/request.ts';

const key = 'runyard.token';

/** The token of this tab. */
export const storedToken = {
  read: (): string | null => sessionStorage.getItem(key),
  keep: (token: string): void => sessionStorage.setItem(key, token),
  forget: (): void => sessionStorage.removeItem(key),
} as const;

export interface Session {
  readonly sender: Sender;
  readonly userName: string;
  /** Ends the session. @param reason why, for the sign-in page; without one it was wished */
  end(reason?: string): void;
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
export function useSignOut(): Session['end'] | undefined {
  return use(SessionContext)?.end;
}
