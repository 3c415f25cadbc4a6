/** The whole console: signed out it asks for a token, signed in it shows the page of the address. */
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

/** Any valid token may ask who it belongs to. */
const currentUserPath = '2.0/preview/scim/v2/Me';

export function App() {
  const [signedIn, setSignedIn] = useState<SignedIn | null>(null);
  const [reason, setReason] = useState('');
  const signIn = useCallback(async (token: string): Promise<void> => {
    const sender = createApiClient(token);
    const { userName } = await sender.get<CurrentUser>(currentUserPath);
    storedToken.save(token);
    setReason('');
    setSignedIn({ apiClient: sender, userName });
  }, []);
  const end = useCallback((why = ''): void => {
    storedToken.clear();
    setReason(why);
    setSignedIn(null);
  }, []);
  if (signedIn === null) return <SignInPage signIn={signIn} reason={reason} signOut={end} />;
  return <SignedInApp {...signedIn} end={end} />;
}

function SignedInApp({ apiClient, userName, end }: SignedIn & { readonly end: (reason?: string) => void }) {
  const onError = useSessionErrorHandler(apiClient, end);
  const client = useMemo(() => createQueryClient(onError), [onError]);
  const session = useMemo(() => ({ apiClient, userName, signOut: end }), [apiClient, userName, end]);
  // What one user has seen must not stay for the next.
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
 * Ends the session when the token no longer counts. A 403 may also be about one job, or a scope: then the
 * token still says whose it is, and the page shows the refusal where it was met.
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

async function signOutIfRejected(sender: ApiClient, signOut: (reason?: string) => void): Promise<void> {
  try {
    await sender.get<CurrentUser>(currentUserPath);
  } catch (doubt) {
    if (doubt instanceof ApiError && (doubt.status === 401 || doubt.status === 403)) signOut(doubt.message);
  }
}
