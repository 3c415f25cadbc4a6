/** Notes about messages of a run that were not delivered yet, with the reason and the next attempt. */
import { useApiQuery } from '../api/queries.ts';
import { Timestamp } from '../parts/time.tsx';

interface Delivery {
  readonly id: string;
  readonly address?: string;
  readonly destination_id?: string;
  readonly next_attempt_time?: number;
  readonly attempts: readonly {
    readonly error?: string;
    readonly answer?: string;
    readonly status?: number;
  }[];
}

/** Shows nothing while all messages were delivered or have not been tried. */
export function UndeliveredNotes({ runId }: { readonly runId: number }) {
  const { data } = useApiQuery<{ readonly deliveries: readonly Delivery[] }>('2.0/notifications/deliveries', {
    run_id: runId,
    state: 'pending',
    limit: 5,
  });
  const failing = (data?.deliveries ?? []).filter(({ attempts }) => attempts.length > 0);
  return failing.map(({ id, address, destination_id: destination, attempts, next_attempt_time: next }) => {
    const last = attempts.at(-1);
    const reason = last?.error ?? last?.answer ?? `the receiver answered ${last?.status ?? 'nothing'}`;
    return (
      <p key={id} className="banner warning" role="note">
        {address === undefined ? `Message to destination ${destination}` : `Mail to ${address}`} not
        delivered: {reason}
        {next !== undefined && (
          <>
            {' '}
            Next attempt <Timestamp at={next} />.
          </>
        )}
      </p>
    );
  });
}
