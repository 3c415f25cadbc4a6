/** Files that dashboard queries name, as paths within managed_fs. */
import { relative } from 'node:path';
import { invalid, ServiceError } from '../../engine/errors.ts';
import type { QueryFiles } from '../../engine/ports/dashboards.ts';
import { quote } from '../../engine/validation/messages.ts';
import { statIfExists } from '../../engine/read-file.ts';
import { normalizePath, resolveInside, type Roots } from './roots.ts';

export function createQueryFiles({ managedFs }: Pick<Roots, 'managedFs'>): QueryFiles {
  return {
    async resolvePath(uri) {
      const path = normalizePath(managedFs, uri);
      const pattern = path.search(/[*?[]/);
      // DuckDB checks each file that matches a pattern; here the fixed part of the pattern is checked.
      const fixed = pattern < 0 ? path : path.slice(0, path.lastIndexOf('/', pattern) + 1);
      const real = await resolveInside(managedFs, fixed, uri);
      const found = await statIfExists(real);
      if (found === undefined)
        throw new ServiceError(
          'RESOURCE_DOES_NOT_EXIST',
          `File ${uri} was not found. Put it there with POST /api/2.0/managed_fs/put.`,
        );
      if (pattern < 0 && found.isDirectory())
        throw invalid(
          `${quote(uri)} is a directory; name its files, such as ${uri.replace(/\/$/, '')}/*.csv.`,
        );
      return relative('/', path);
    },
  };
}
