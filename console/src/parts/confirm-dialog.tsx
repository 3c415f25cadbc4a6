/** Dialog that confirms an action, runs it, and shows its error. */
import { useLayoutEffect, useRef, type FormEvent, type ReactNode } from 'react';
import { ErrorMessage } from './error-message.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Label of the button, e.g. `Cancel the run`. */
  readonly confirm: string;
  /** Completes "Could not ..." when the action fails, e.g. `cancel the run`. */
  readonly action: string;
  /** True for a destructive action. */
  readonly dangerous?: boolean;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Is open while it is mounted. Escape and the second button close it. */
export function ConfirmDialog({
  title,
  children,
  confirm,
  action,
  dangerous = false,
  busy,
  error,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Closed before it is removed, so that the browser returns the focus to the button that opened it.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onConfirm();
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <form onSubmit={submit}>
        <h2 id="dialog-title">{title}</h2>
        {children}
        {error !== null && <ErrorMessage error={error} action={action} />}
        <p className="actions">
          <button type="submit" className={dangerous ? 'danger' : 'primary'} disabled={busy}>
            {busy ? 'Working …' : confirm}
          </button>
          <button type="button" onClick={onClose}>
            Close
          </button>
        </p>
      </form>
    </dialog>
  );
}
