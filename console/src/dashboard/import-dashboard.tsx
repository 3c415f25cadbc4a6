/** Form that imports a classic dashboard from a file, migrates it, and opens it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { DashboardDocument } from '../api/dashboard-documents.ts';
import { navigateTo } from '../navigate.ts';
import { ErrorMessage } from '../parts/error-message.tsx';
import { linkTo } from '../route.ts';
import { useSession } from '../session.tsx';

export function ImportDashboard() {
  const id = useId();
  const { apiClient } = useSession();
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (chosen: File) => {
      const classic = await apiClient.post<{ readonly id: string }>(
        '2.0/preview/sql/dashboards',
        await readDocument(chosen),
      );
      return apiClient.post<DashboardDocument>('2.0/modern/dashboards/migrate', {
        source_dashboard_id: classic.id,
      });
    },
    onSuccess: ({ dashboard_id }) => {
      void client.invalidateQueries();
      navigateTo(linkTo.dashboard(dashboard_id));
    },
  });
  return (
    <form
      className="inline import"
      onSubmit={(event) => {
        event.preventDefault();
        if (file !== null) mutate(file);
      }}
    >
      <label htmlFor={id}>Classic dashboard (JSON)</label>
      <input
        id={id}
        type="file"
        accept=".json,application/json"
        onChange={(event) => setFile(event.target.files?.[0] ?? null)}
      />
      <button type="submit" className="primary" disabled={file === null || isPending}>
        {isPending ? 'Working …' : 'Import and migrate'}
      </button>
      {error !== null && <ErrorMessage error={error} action="import the dashboard" />}
    </form>
  );
}

async function readDocument(file: File): Promise<object> {
  const document: unknown = await file
    .text()
    .then((text) => JSON.parse(text) as unknown)
    .catch(() => undefined);
  if (typeof document !== 'object' || document === null)
    throw new Error(`${file.name} is not a JSON document of a dashboard.`);
  return document;
}
