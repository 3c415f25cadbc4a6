/** Advice for errors, one sentence each. */
import { ConnectionLost, ApiError } from './api-client.ts';

const adviceByStatus: ReadonlyMap<number, string> = new Map([
  [400, 'Correct the value that the message names, then try again.'],
  [403, 'Sign in with a token that may do this, or ask an administrator for the permission.'],
  [404, 'Check the address: the object may have been removed, or may belong to another service.'],
  [409, 'Someone else changed it at the same time. Reload the page and repeat the action.'],
  [413, 'Send a smaller request.'],
  [429, 'Wait a few seconds and try again.'],
  [500, 'The service log has the details. Trying again may help.'],
  [503, 'Active runs are not affected. Try again in a few seconds.'],
]);

/** Returns advice for an error; empty when its message is enough. */
export function adviceFor(error: unknown): string {
  if (error instanceof ConnectionLost)
    return 'Check that the service is running and that this machine can reach it, then try again. Active runs are not affected.';
  if (!(error instanceof ApiError)) return 'This is a bug in the console. Reload the page.';
  if (/does not exist\.?$/.test(error.message))
    return 'It may have been deleted: the service deletes finished runs after the retention period.';
  return adviceByStatus.get(error.status) ?? '';
}
