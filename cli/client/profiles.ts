/** Profiles: named services with their tokens, in a file that only its owner can read. */
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';
import { codeOf, messageOf } from '../../engine/errors.ts';
import { CommandError } from '../start-error.ts';
import { readClientVariables } from '../config.ts';

const Profile = Type.Object({ url: Type.String(), token: Type.String() });
const Profiles = Type.Object({
  /** Name of the profile that is used when none is named. */
  current: Type.Optional(Type.String()),
  profiles: Type.Record(Type.String(), Profile),
});

export type Profile = Static<typeof Profile>;
export type Profiles = Static<typeof Profiles>;

/** Name that `--profile` of the running command gives. */
let selected: string | undefined;

/** Selects the profile of the running command, which overrides the variables; none with undefined. */
export function selectProfile(name: string | undefined): void {
  selected = name;
}

/** Reads the profiles; none when there is no file. @throws CommandError for a file that is not valid */
export async function readProfiles(): Promise<Profiles> {
  const { profilesFile } = readClientVariables();
  try {
    const document: unknown = JSON.parse(await readFile(profilesFile, 'utf8'));
    if (Check(Profiles, document)) return document;
    throw new Error('it must be {"current": name, "profiles": {name: {"url": …, "token": …}}}');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { profiles: {} };
    throw new CommandError(`The profiles in ${profilesFile} cannot be read: ${messageOf(error)}.`);
  }
}

/** Writes the profiles with mode 600. A reader sees the old file or the new one. */
export async function writeProfiles(profiles: Profiles): Promise<void> {
  const { profilesFile } = readClientVariables();
  await mkdir(dirname(profilesFile), { recursive: true, mode: 0o700 });
  const draft = `${profilesFile}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, profilesFile);
}

/**
 * Returns the profile of this command: that of `--profile`; that of RUNYARD_PROFILE or the current one, unless
 * RUNYARD_URL or RUNYARD_TOKEN is set; otherwise undefined.
 * @throws CommandError for an unknown name
 */
export async function findProfile(): Promise<Profile | undefined> {
  const { url, token, profile } = readClientVariables();
  if (selected === undefined && (url !== undefined || token !== undefined)) return undefined;
  const { current, profiles } = await readProfiles();
  const name = selected ?? profile ?? current;
  if (name === undefined) return undefined;
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (found !== undefined) return found;
  throw new CommandError(describeUnknownProfile(name, profiles));
}

/** Returns the message for a name that no profile has. */
export function describeUnknownProfile(name: string, profiles: Readonly<Record<string, Profile>>): string {
  const known = Object.keys(profiles);
  const others = known.length === 0 ? 'there are none' : `there are ${known.join(', ')}`;
  return `There is no profile ${JSON.stringify(name)}; ${others}. Add one with runyard profiles add.`;
}
