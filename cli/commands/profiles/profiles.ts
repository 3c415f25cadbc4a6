/** `runyard profiles add|list|use|remove`: the services that this user works with. */
import { text } from 'node:stream/consumers';
import { Type } from 'typebox';
import { describeUnknownProfile, readProfiles, selectProfile, writeProfiles } from '../../client/profiles.ts';
import { printRows, type OutputOptions } from '../../output/print-result.ts';
import { CommandError } from '../../start-error.ts';
import { printDiagnostic } from '../print-line.ts';
import { callService } from '../service-client.ts';

const Me = Type.Object({ userName: Type.String() });

/** Options of `profiles add`. */
export interface AddProfileOptions {
  readonly url: string;
  /** Default: the first line of stdin, so that the token is in no history of a shell. */
  readonly token?: string;
}

/**
 * Stores a profile after a call with it has succeeded; the first one becomes the current one.
 * Resolves with the exit code. @throws CommandError
 */
export async function addProfile(name: string, options: AddProfileOptions): Promise<number> {
  if (!/^[\w.-]{1,64}$/.test(name))
    throw new CommandError(
      `The name of a profile is ${JSON.stringify(name)}; it must be 1 to 64 letters, digits, dots, dashes or underscores.`,
      { usage: true },
    );
  if (!URL.canParse(options.url) || !/^https?:$/.test(new URL(options.url).protocol))
    throw new CommandError(`--url is ${options.url}; it must be like https://runyard.example.org.`, {
      usage: true,
    });
  const token = options.token ?? (await readToken());
  const before = await readProfiles();
  await writeProfiles({
    current: before.current ?? name,
    profiles: { ...before.profiles, [name]: { url: options.url, token } },
  });
  selectProfile(name);
  try {
    const { userName } = await callService(Me, 'GET', '/preview/scim/v2/Me');
    printDiagnostic(`Profile ${name}: ${options.url} as ${userName}.`);
  } catch (error) {
    await writeProfiles(before);
    throw error;
  }
  return 0;
}

async function readToken(): Promise<string> {
  if (process.stdin.isTTY) printDiagnostic('Paste the token, then press Enter and Ctrl-D:');
  const [token = ''] = (await text(process.stdin)).split('\n', 1);
  if (token.trim() === '') throw new CommandError('There is no token: name one with --token, or pipe it in.');
  return token.trim();
}

/** Prints names and URLs, never tokens. Resolves with the exit code. @throws CommandError */
export async function listProfiles(options: OutputOptions): Promise<number> {
  const { current, profiles } = await readProfiles();
  printRows(
    Object.entries(profiles).map(([name, { url }]) => ({ name, url, current: name === current })),
    [
      { title: 'NAME', value: (one) => one.name },
      { title: 'URL', value: (one) => one.url },
      { title: 'CURRENT', value: (one) => (one.current ? 'yes' : '') },
    ],
    options,
    'There are no profiles: runyard profiles add stores one.',
  );
  return 0;
}

/** Makes a profile the current one. Resolves with the exit code. @throws CommandError */
export async function chooseProfile(name: string): Promise<number> {
  const { profiles } = await readProfiles();
  if (!Object.hasOwn(profiles, name)) throw new CommandError(describeUnknownProfile(name, profiles));
  await writeProfiles({ current: name, profiles });
  printDiagnostic(`${name} is the current profile.`);
  return 0;
}

/** Removes a profile. The token stays valid. Resolves with the exit code. @throws CommandError */
export async function removeProfile(name: string): Promise<number> {
  const { current, profiles } = await readProfiles();
  if (!Object.hasOwn(profiles, name)) throw new CommandError(describeUnknownProfile(name, profiles));
  const rest = Object.fromEntries(Object.entries(profiles).filter(([one]) => one !== name));
  await writeProfiles({ ...(current !== undefined && current !== name && { current }), profiles: rest });
  printDiagnostic(`Profile ${name} is removed. Its token is still valid; runyard tokens revoke revokes it.`);
  return 0;
}
