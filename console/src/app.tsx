/** The console: sign-in page without a session, else the page of the address. */
import { QueryClientProvider } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { createQueryClient } from './api/queries.ts';
import type { CurrentUser } from './api/documents.ts';
import { createApiClient, ApiError, type ApiClient } from './api/api-client.ts';
import { AppLayout } from './app-layout.tsx';
import { SignInPage } from './pages/sign-in-page.tsx';
import { SessionProvider, storedToken } from './session.tsx';

interface SignedIn {
  readonly apiClient: ApiClient;
  readonly userName: string;
}

/** Every valid token may read its own user. */
const currentUserPath = '2.0/preview/scim/v2/Me';

export function App() {
  const [signedIn, setSignedIn] = useState<SignedIn | null>(null);
  const [reason, setReason] = useState('');
  const signIn = useCallback(async (token: string): Promise<void> => {
    const apiClient = createApiClient(token);
    const { userName } = await apiClient.get<CurrentUser>(currentUserPath);
    storedToken.save(token);
    setReason('');
    setSignedIn({ apiClient, userName });
  }, []);
  const signOut = useCallback((newReason = ''): void => {
    storedToken.clear();
    setReason(newReason);
    setSignedIn(null);
  }, []);
  if (signedIn === null) return <SignInPage signIn={signIn} reason={reason} signOut={signOut} />;
  return <SignedInApp {...signedIn} signOut={signOut} />;
}

function SignedInApp({
  apiClient,
  userName,
  signOut,
}: SignedIn & { readonly signOut: (reason?: string) => void }) {
  const onError = useSessionErrorHandler(apiClient, signOut);
  const client = useMemo(() => createQueryClient(onError), [onError]);
  const session = useMemo(() => ({ apiClient, userName, signOut }), [apiClient, userName, signOut]);
  // The data of one user must not remain for the next.
  useEffect(() => () => client.clear(), [client]);
  return (
    <SessionProvider value={session}>
      <QueryClientProvider client={client}>
        <AppLayout />
      </QueryClientProvider>
    </SessionProvider>
  );
}

/**
 * Ends the session when the token is no longer valid. A 403 may also concern one job or scope: if the token
 * can still read its user, the session stays and the page shows the error.
 */
function useSessionErrorHandler(
  apiClient: ApiClient,
  signOut: (reason?: string) => void,
): (error: Error) => void {
  return useCallback(
    (error: Error) => {
      if (!(error instanceof ApiError)) return;
      if (error.status === 401) signOut(error.message);
      if (error.status !== 403) return;
      void signOutIfRejected(apiClient, signOut);
    },
    [apiClient, signOut],
  );
}

async function signOutIfRejected(apiClient: ApiClient, signOut: (reason?: string) => void): Promise<void> {
  try {
    await apiClient.get<CurrentUser>(currentUserPath);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) signOut(error.message);
  }
}
