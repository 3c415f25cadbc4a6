/** Message of a PENDING task that waits for other tasks. */

/** Returns the state message of a task that has not started; empty for a task without dependencies. */
export function waitingMessage(dependencies: readonly string[]): string {
  if (dependencies.length === 0) return '';
  return `Waiting for the ${dependencies.length === 1 ? 'task' : 'tasks'} ${dependencies.toSorted().join(', ')}`;
}
