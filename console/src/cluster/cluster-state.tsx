/** State of a cluster. */

const states: Readonly<Record<string, readonly [text: string, tone: string, sign: string]>> = {
  PENDING: ['Pending', 'quiet', '…'],
  RUNNING: ['Running', 'good', '✓'],
  RESTARTING: ['Restarting', 'busy', '…'],
  RESIZING: ['Resizing', 'busy', '…'],
  TERMINATED: ['Terminated', 'quiet', '■'],
};

export function ClusterState({ state }: { readonly state: string }) {
  const [text, tone, sign] = states[state] ?? [state, 'quiet', '■'];
  return (
    <span className={`badge ${tone}`} title={state}>
      <span aria-hidden="true">{sign}</span> {text}
    </span>
  );
}
