/** Dialog that starts a run of a job, with optional parameters. */
import { useMutation } from '@tanstack/react-query';
import { useId, useMemo, useState } from 'react';
import type { Job } from '../api/documents.ts';
import { navigateTo } from '../navigate.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { linkTo } from '../route.ts';
import { useSession } from '../session.tsx';
import { listParameterFields, parseRunParameters, type TaskParameterField } from './run-parameters.ts';

export function RunNowDialog({ job, onClose }: { readonly job: Job; readonly onClose: () => void }) {
  const { apiClient } = useSession();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [kind, setKind] = useState<{ readonly field: string; readonly text: string }>({
    field: '',
    text: '',
  });
  const { parameters = [] } = job.settings;
  const body = JSON.stringify({
    job_id: job.job_id,
    ...parseRunParameters(values, listParameterFields(job.settings.tasks ?? []), kind),
  });
  // A repeated request returns the same run; changed parameters start another run.
  const idempotencyToken = useMemo(() => (body === '' ? '' : createRandomToken()), [body]);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      apiClient.post<{ run_id: number }>('2.1/jobs/run-now', {
        ...JSON.parse(body),
        idempotency_token: idempotencyToken,
      }),
    onSuccess: ({ run_id: runId }) => {
      navigateTo(linkTo.run(job.job_id, runId));
    },
  });
  return (
    <ConfirmDialog
      title="Run now"
      confirm="Run now"
      action="start the run"
      busy={isPending}
      error={error}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      {parameters.length === 0 ? null : (
        <fieldset>
          <legend>Job parameters</legend>
          {parameters.map(({ name, default: defaultValue }) => (
            <ParameterInput
              key={name}
              name={name}
              defaultValue={defaultValue}
              value={values[name]}
              onChange={(text) => setValues({ ...values, [name]: text })}
            />
          ))}
        </fieldset>
      )}
      <TaskParametersInput
        fields={listParameterFields(job.settings.tasks ?? [])}
        {...kind}
        onChange={setKind}
      />
    </ConfirmDialog>
  );
}

interface ParameterInputProps {
  readonly name: string;
  readonly defaultValue: string;
  /** Undefined until the user changes it. */
  readonly value: string | undefined;
  readonly onChange: (text: string) => void;
}

function ParameterInput({ name, defaultValue, value, onChange }: ParameterInputProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{name}</label>
      <input id={id} value={value ?? defaultValue} onChange={(event) => onChange(event.target.value)} />
    </>
  );
}

interface TaskParametersInputProps {
  readonly fields: readonly TaskParameterField[];
  readonly field: string;
  readonly text: string;
  readonly onChange: (kind: { readonly field: string; readonly text: string }) => void;
}

/** Input of parameters for the tasks of one kind; the form sends one kind per run. */
function TaskParametersInput({ fields, field, text, onChange }: TaskParametersInputProps) {
  const id = useId();
  if (fields.length === 0) return null;
  const chosen = fields.find((one) => one.field === field);
  return (
    <fieldset>
      <legend>Task parameters</legend>
      <label htmlFor={`${id}-kind`}>Override task parameters</label>
      <select
        id={`${id}-kind`}
        value={field}
        onChange={(event) => onChange({ field: event.target.value, text })}
      >
        <option value="">none</option>
        {fields.map((one) => (
          <option key={one.field} value={one.field}>
            {one.label}
          </option>
        ))}
      </select>
      {chosen !== undefined && (
        <>
          <label htmlFor={`${id}-text`}>
            {chosen.isMap ? 'One name=value per line' : 'One parameter per line'}
          </label>
          <textarea
            id={`${id}-text`}
            rows={5}
            spellCheck={false}
            value={text}
            onChange={(event) => onChange({ field, text: event.target.value })}
          />
        </>
      )}
    </fieldset>
  );
}

/** Replaces crypto.randomUUID, which browsers offer only over HTTPS. */
function createRandomToken(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
