/** Resolves the files of managed_fs that statements of SQL notebooks name. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canonicalUri } from '../../../engine/validation/aliases.ts';
import { CellError } from './driver-protocol.ts';

/**
 * Returns the path on this host of a file of managed_fs; any other text is returned unchanged.
 * @param root real directory of managed_fs
 * @param isWritten whether the statement writes the file; missing parent directories are then created
 */
export function resolveManagedPath(text: string, root: string, isWritten: boolean): string {
  const uri = canonicalUri(text);
  if (!uri.startsWith('managed_fs:')) return text;
  const names: string[] = [];
  for (const name of uri.slice('managed_fs:'.length).split('/')) {
    if (name === '..' && names.pop() === undefined)
      throw new CellError(`The path ${JSON.stringify(text)} leads outside managed_fs.`);
    if (name !== '' && name !== '.' && name !== '..') names.push(name);
  }
  const path = join(root, ...names);
  if (isWritten) mkdirSync(dirname(path), { recursive: true });
  return path;
}
