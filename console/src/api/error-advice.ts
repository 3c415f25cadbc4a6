/** What somebody can do about an error, in a sentence. */
import { ConnectionLost, ApiError } from './api-client.ts';

const adviceByStatus: ReadonlyMap<number, string> = new Map([
  [400, 'Change what the message names and try again.'],
  [403, 'Sign in with a token that may do this, or ask an administrator for the permission.'],
  [404, 'Check the address: it may belong to another service, or what it names has been removed.'],
  [409, 'Somebody else changed it at the same time. Load the page again and repeat what you did.'],
  [413, 'Send less.'],
  [429, 'Wait a few seconds and try again.'],
  [500, 'The log of the service says more. Trying again may help.'],
  [503, 'Runs that are under way are not harmed. The page tries again by itself.'],
]);

/** Advice for an error; empty when there is none beyond its message. */
export function adviceFor(error: unknown): string {
  if (error instanceof ConnectionLost)
    return 'Check that the service is running and that this machine reaches it. The page tries again by itself; runs go on meanwhile.';
  if (!(error instanceof ApiError)) return 'This is a mistake of the console. Load the page again.';
  if (/does not exist\.?$/.test(error.message))
    return 'It may have been deleted: runs leave by themselves some time after their end.';
  return adviceByStatus.get(error.status) ?? '';
}
