/** Variables that clients of the service read. They are allowed in the environment of the service, too. */
import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

export const clientVariables = ['RUNYARD_URL', 'RUNYARD_TOKEN', 'RUNYARD_PROFILE'] as const;

export interface ClientVariables {
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly profile: string | undefined;
  /** Absolute path of the file with the profiles. */
  readonly profilesFile: string;
  /** Command that edits a file. */
  readonly editor: string;
}

/** Parses what an environment says to a client. An empty variable counts as unset. */
export function parseClientVariables(environment: Environment): ClientVariables {
  const read = (name: string): string | undefined =>
    environment[name] === '' ? undefined : environment[name];
  return {
    url: read('RUNYARD_URL'),
    token: read('RUNYARD_TOKEN'),
    profile: read('RUNYARD_PROFILE'),
    profilesFile: join(read('XDG_CONFIG_HOME') ?? join(homedir(), '.config'), 'runyard', 'profiles.json'),
    editor: read('VISUAL') ?? read('EDITOR') ?? 'vi',
  };
}
