/** What a PENDING task says that it waits for. */

/** The state_message of a task that has not started; empty when it waits for nothing. */
export function waitingMessage(dependencies: readonly string[]): string {
  if (dependencies.length === 0) return '';
  return `Waiting for the ${dependencies.length === 1 ? 'task' : 'tasks'} ${dependencies.toSorted().join(', ')}`;
}
