/** Opens a text in the editor of the user. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '../../engine/errors.ts';
import { CommandError } from '../start-error.ts';
import { readClientVariables } from '../config.ts';

/**
 * Opens a text in the program that VISUAL or EDITOR names, and stores the result.
 * @param store is not called when nothing changed
 * @returns whether the text was changed
 * @throws CommandError; when `store` throws, the message names the file, which then stays
 */
export async function editText(
  fileName: string,
  text: string,
  store: (text: string) => Promise<void>,
): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), 'runyard-edit-'));
  const file = join(directory, fileName);
  await writeFile(file, text, { mode: 0o600 });
  const { editor } = readClientVariables();
  // The variable may hold options, as in "code --wait".
  await execa('/bin/sh', ['-c', `${editor} "$1"`, 'editor', file], { stdio: 'inherit' }).catch(
    (error: unknown) => {
      throw new CommandError(`The editor ${editor} failed: ${messageOf(error)}`);
    },
  );
  const written = await readFile(file, 'utf8');
  if (written !== text) {
    await store(written).catch((error: unknown) => {
      throw new CommandError(`${messageOf(error)} Your text is kept in ${file}.`);
    });
  }
  await rm(directory, { recursive: true, force: true });
  return written !== text;
}
