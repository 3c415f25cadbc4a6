/** Brings a classic dashboard in from a file, migrates it, and goes to it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { DashboardDocument } from '../api/dashboard-documents.ts';
import { go } from '../go.ts';
import { Failure } from '../parts/failure.tsx';
import { addressOf } from '../route.ts';
import { useSession } from '../session.tsx';

export function ImportDashboard() {
  const id = useId();
  const { sender } = useSession();
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (chosen: File) => {
      const classic = await sender.post<{ readonly id: string }>(
        '2.0/preview/sql/dashboards',
        await documentIn(chosen),
      );
      return sender.post<DashboardDocument>('2.0/modern/dashboards/migrate', {
        source_dashboard_id: classic.id,
      });
    },
    onSuccess: ({ dashboard_id }) => {
      void client.invalidateQueries();
      go(addressOf.dashboard(dashboard_id));
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
      {error !== null && <Failure error={error} what="Importing the dashboard" />}
    </form>
  );
}

async function documentIn(file: File): Promise<object> {
  const document: unknown = await file
    .text()
    .then((text) => JSON.parse(text) as unknown)
    .catch(() => undefined);
  if (typeof document !== 'object' || document === null)
    throw new Error(`${file.name} holds no JSON document of a dashboard.`);
  return document;
}
