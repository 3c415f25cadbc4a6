/** Settings files for tests of the configuration. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTraversableDirectory } from './cli-process.ts';

/** Writes runyard.json into a temporary directory and returns the directory. */
export async function createSettingsFile(content: unknown): Promise<string> {
  const directory = await createTraversableDirectory();
  await writeFile(
    join(directory, 'runyard.json'),
    typeof content === 'string' ? content : JSON.stringify(content),
  );
  return directory;
}
