/** An error in words: what was tried, what the service said, what can be done. */
import { adviceFor } from '../api/advice.ts';
import { Refusal } from '../api/request.ts';
import { useSignOut } from '../session.tsx';

interface FailureProps {
  readonly error: unknown;
  /** What did not work, e.g. `Cancelling the run`. */
  readonly what: string;
  readonly retry?: () => unknown;
}

export function Failure({ error, what, retry }: FailureProps) {
  const signOut = useSignOut();
  const message = error instanceof Error ? error.message : String(error);
  const forbidden = error instanceof Refusal && error.status === 403;
  return (
    <div className="notice bad" role="alert">
      <p>
        <strong>{what} did not work.</strong> {message}
        {error instanceof Refusal && error.code !== '' && (
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
