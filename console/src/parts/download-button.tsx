/**
 * Button that fetches content from the service and saves it as a file; a plain link could not send the token.
 */
import { useMutation } from '@tanstack/react-query';
import type { ApiClient } from '../api/api-client.ts';
import { useSession } from '../session.tsx';
import { saveBlob } from './save-button.tsx';

interface DownloadButtonProps {
  readonly label: string;
  readonly fileName: string;
  readonly fetchContent: (apiClient: ApiClient) => Promise<Blob>;
}

export function DownloadButton({ label, fileName, fetchContent }: DownloadButtonProps) {
  const { apiClient } = useSession();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => fetchContent(apiClient),
    onSuccess: (blob) => saveBlob(blob, fileName),
  });
  return (
    <button
      type="button"
      className="link"
      disabled={isPending}
      title={error?.message}
      onClick={() => mutate()}
    >
      {isPending ? 'Saving…' : error === null ? label : `${label} (failed, try again)`}
    </button>
  );
}
