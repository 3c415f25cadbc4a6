/**
 * A button that asks the service for something, and saves it as a file of the reader: a plain link would
 * carry no token.
 */
import { useMutation } from '@tanstack/react-query';
import type { Sender } from '../api/request.ts';
import { useSession } from '../session.tsx';
import { saveBlob } from './save-link.tsx';

interface DownloadButtonProps {
  readonly words: string;
  readonly name: string;
  readonly fetchAll: (sender: Sender) => Promise<Blob>;
}

export function DownloadButton({ words, name, fetchAll }: DownloadButtonProps) {
  const { sender } = useSession();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => fetchAll(sender),
    onSuccess: (blob) => saveBlob(blob, name),
  });
  return (
    <button
      type="button"
      className="link"
      disabled={isPending}
      title={error?.message}
      onClick={() => mutate()}
    >
      {isPending ? 'Saving…' : error === null ? words : `${words} (failed, try again)`}
    </button>
  );
}
