/** Error message: the failed action, the error of the service, and advice. */
import { adviceFor } from '../api/error-advice.ts';
import { ApiError } from '../api/api-client.ts';
import { useSignOut } from '../session.tsx';

interface ErrorMessageProps {
  readonly error: unknown;
  /** Completes "Could not ...", e.g. `cancel the run`. */
  readonly action: string;
  readonly retry?: () => unknown;
  /** Address of the first page of a list, when the error is about another page of it. */
  readonly firstPage?: string | undefined;
}

export function ErrorMessage({ error, action, retry, firstPage }: ErrorMessageProps) {
  const signOut = useSignOut();
  const message = error instanceof Error ? error.message : String(error);
  const forbidden = error instanceof ApiError && error.status === 403;
  const badPage = firstPage !== undefined && error instanceof ApiError && error.status === 400;
  return (
    <div className="banner bad" role="alert">
      <p>
        <strong>Could not {action}.</strong> {message}
        {error instanceof ApiError && error.code !== '' && (
          <>
            {' '}
            <code>{error.code}</code>
          </>
        )}
      </p>
      <p>{badPage ? <a href={firstPage}>Back to newest</a> : adviceFor(error)}</p>
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
