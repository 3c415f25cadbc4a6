/** An error in words: what was tried, what the service said, what can be done. */
import { adviceFor } from '../api/error-advice.ts';
import { ApiError } from '../api/api-client.ts';
import { useSignOut } from '../session.tsx';

interface ErrorMessageProps {
  readonly error: unknown;
  /** What did not work, e.g. `Cancelling the run`. */
  readonly action: string;
  readonly retry?: () => unknown;
}

export function ErrorMessage({ error, action, retry }: ErrorMessageProps) {
  const signOut = useSignOut();
  const message = error instanceof Error ? error.message : String(error);
  const forbidden = error instanceof ApiError && error.status === 403;
  return (
    <div className="notice bad" role="alert">
      <p>
        <strong>{action} did not work.</strong> {message}
        {error instanceof ApiError && error.code !== '' && (
          <>
            {' '}
            <code>{error.code}</code>
          </>
        )}
      </p>
      <p>{adviceFor(error)}</p>
      {(retry !== undefined || forbidden) && (
        <p className="actions">
          {retry !== undefined && (
            <button
              type="button"
              onClick={() => {
                retry();
              }}
            >
              Try again
            </button>
          )}
          {forbidden && signOut !== undefined && (
            <button type="button" onClick={() => signOut(message)}>
              Sign in with another token
            </button>
          )}
        </p>
      )}
    </div>
  );
}
