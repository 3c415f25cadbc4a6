/** The whole console: signed out it asks for a token, signed in it shows the page of the address. */
import { QueryClientProvider } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { createQueryClient } from './api/queries.ts';
import type { Me } from './api/documents.ts';
import { createSender, Refusal, type Sender } from './api/request.ts';
import { Frame } from './frame.tsx';
import { SignInPage } from './pages/sign-in-page.tsx';
import { SessionProvider, storedToken } from './session.tsx';

interface SignedIn {
  readonly sender: Sender;
  readonly userName: string;
}

/** Any valid token may ask who it belongs to. */
const whoAmI = '2.0/preview/scim/v2/Me';

export function App() {
  const [signedIn, setSignedIn] = useState<SignedIn | null>(null);
  const [reason, setReason] = useState('');
  const signIn = useCallback(async (token: string): Promise<void> => {
    const sender = createSender(token);
    const { userName } = await sender.get<Me>(whoAmI);
    storedToken.keep(token);
    setReason('');
    setSignedIn({ sender, userName });
  }, []);
  const end = useCallback((why = ''): void => {
    storedToken.forget();
    setReason(why);
    setSignedIn(null);
  }, []);
  if (signedIn === null) return <SignInPage signIn={signIn} reason={reason} end={end} />;
  return <Signed {...signedIn} end={end} />;
}

function Signed({ sender, userName, end }: SignedIn & { readonly end: (reason?: string) => void }) {
  const onError = useErrorWatch(sender, end);
  const client = useMemo(() => createQueryClient(onError), [onError]);
  const session = useMemo(() => ({ sender, userName, end }), [sender, userName, end]);
  // What one user has seen must not stay for the next.
  useEffect(() => () => client.clear(), [client]);
  return (
    <SessionProvider value={session}>
      <QueryClientProvider client={client}>
        <Frame />
      </QueryClientProvider>
    </SessionProvider>
  );
}

/**
 * Ends the session when the token no longer counts. A 403 may also be about one job, or a scope: then the
 * token still says whose it is, and the page shows the refusal where it was met.
 */
function useErrorWatch(sender: Sender, end: (reason?: string) => void): (error: Error) => void {
  return useCallback(
    (error: Error) => {
      if (!(error instanceof Refusal)) return;
      if (error.status === 401) end(error.message);
      if (error.status !== 403) return;
      void endIfRefused(sender, end);
    },
    [sender, end],
  );
}

async function endIfRefused(sender: Sender, end: (reason?: string) => void): Promise<void> {
  try {
    await sender.get<Me>(whoAmI);
  } catch (doubt) {
    if (doubt instanceof Refusal && (doubt.status === 401 || doubt.status === 403)) end(doubt.message);
  }
}
