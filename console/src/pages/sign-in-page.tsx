/** Sign-in page: token input, help, and the reason for the end of the last session. */
import { useEffect, useState, type FormEvent } from 'react';
import { ConnectionLost, ApiError } from '../api/api-client.ts';
import { ErrorMessage } from '../parts/error-message.tsx';
import { storedToken } from '../session.tsx';
import { useTitle } from '../parts/use-title.ts';

interface SignInProps {
  /** @throws ApiError, ConnectionLost */
  readonly signIn: (token: string) => Promise<void>;
  /** Reason for the end of the last session; empty when the user signed out. */
  readonly reason: string;
  readonly signOut: (reason?: string) => void;
}

export function SignInPage({ signIn, reason, signOut }: SignInProps) {
  const [token, setToken] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(storedToken.read() !== null);
  useTitle('Sign in');

  // A reloaded tab is still signed in.
  useEffect(() => {
    const stored = storedToken.read();
    if (stored === null) return;
    signIn(stored).catch((failure: unknown) => {
      setBusy(false);
      setToken(stored);
      if (isAuthError(failure)) signOut();
      setError(failure);
    });
  }, [signIn, signOut]);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    signIn(token.trim()).catch((failure: unknown) => {
      setBusy(false);
      setError(failure);
    });
  };

  return (
    <main className="sign-in">
      <h1>Runyard</h1>
      {reason !== '' && error === null && (
        <p className="banner warm" role="alert">
          You were signed out: {reason} Sign in again.
        </p>
      )}
      {error !== null && <SignInError error={error} />}
      <form onSubmit={submit}>
        <label htmlFor="token">Access token</label>
        <input
          id="token"
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        <button type="submit" className="primary" disabled={busy}>
          {busy ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
      <TokenHelp />
    </main>
  );
}

function SignInError({ error }: { readonly error: unknown }) {
  if (isAuthError(error)) {
    return (
      <p className="banner bad" role="alert">
        {error.message} The token may have expired, been revoked, or been copied only in part.
      </p>
    );
  }
  if (error instanceof ConnectionLost) {
    return (
      <p className="banner bad" role="alert">
        {error.message} Check that it is running, then sign in again.
      </p>
    );
  }
  return <ErrorMessage error={error} action="sign in" />;
}

function TokenHelp() {
  return (
    <section className="hint" aria-label="Where to find a token">
      <h2>Where to find a token</h2>
      <p>
        Runyard printed the token of the first administrator at its first start. To show it again, run this in
        its directory:
      </p>
      <pre>
        <code>npx runyard token</code>
      </pre>
      <p>
        Ask an administrator: <code>runyard token create --user &lt;you&gt;</code>. This page needs the scope{' '}
        <code>jobs</code>. The token is kept for this tab only, until you close it or sign out.
      </p>
    </section>
  );
}

function isAuthError(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 401 || error.status === 403);
}
