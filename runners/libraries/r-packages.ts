/** R packages of a cluster, installed together into one library of R. */
import type { Static } from 'typebox';
import type { RCranLibrary } from '../../engine/job/cluster.ts';
import { cacheKeyOf } from './library-cache.ts';
import { requireEntry, type InstallTools } from './pin-library.ts';
import { buildOnce } from './build-once.ts';

const dayMs = 24 * 60 * 60 * 1_000;

/** R only warns about failed packages, so the script checks for them afterwards. */
const installScript = `
arguments <- commandArgs(trailingOnly = TRUE)
packages <- arguments[-(1:2)]
repos <- if (arguments[2] == "") "https://cloud.r-project.org" else strsplit(arguments[2], " ")[[1]]
install.packages(packages, lib = arguments[1], repos = repos)
missing <- packages[!(packages %in% rownames(installed.packages(lib.loc = arguments[1])))]
if (length(missing) > 0) { message("ERROR: not installed: ", paste(missing, collapse = ", ")); quit(status = 1) }
`;

/** Returns the library folder with the packages. @throws InstallError, InstallStopped */
export async function installRPackages(
  { build, requireProgram }: InstallTools,
  libraries: readonly Static<typeof RCranLibrary>[],
): Promise<string> {
  const rscript = await requireProgram('Rscript');
  const packages = libraries.map((library) => library.package);
  const repos = [...new Set(libraries.flatMap(({ repo }) => repo ?? []))].join(' ');
  return requireEntry(
    await buildOnce(build, {
      // Packages have no versions here, so they are resolved again every day.
      section: 'r',
      key: cacheKeyOf('r', rscript, packages, repos, Math.floor(build.now() / dayMs)),
      command: async (draft) => [rscript, '--vanilla', '-e', installScript, draft, repos, ...packages],
    }),
  );
}
