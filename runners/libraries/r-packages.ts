/** R packages of a cluster, installed together into one library of R. */
import type { Static } from 'typebox';
import type { RCranLibrary } from '../../engine/job/cluster.ts';
import { keyOf } from './cache.ts';
import { entryIn, type Toolbox } from './fix-files.ts';
import { makeOnce } from './make-once.ts';

const day = 24 * 60 * 60 * 1_000;

/** R only warns of a package that it could not install: asking for it afterwards tells. */
const script = `
arguments <- commandArgs(trailingOnly = TRUE)
packages <- arguments[-(1:2)]
repos <- if (arguments[2] == "") "https://cloud.r-project.org" else strsplit(arguments[2], " ")[[1]]
install.packages(packages, lib = arguments[1], repos = repos)
missing <- packages[!(packages %in% rownames(installed.packages(lib.loc = arguments[1])))]
if (length(missing) > 0) { message("ERROR: not installed: ", paste(missing, collapse = ", ")); quit(status = 1) }
`;

/** The folder that R finds the packages in. @throws CannotInstall, Stopped */
export async function installR(
  { shop, program }: Toolbox,
  libraries: readonly Static<typeof RCranLibrary>[],
): Promise<string> {
  const rscript = await program('Rscript');
  const packages = libraries.map((library) => library.package);
  const repos = [...new Set(libraries.flatMap(({ repo }) => repo ?? []))].join(' ');
  return entryIn(
    await makeOnce(shop, {
      // Packages carry no versions here: they are looked for again every day.
      part: 'r',
      key: keyOf('r', rscript, packages, repos, Math.floor(shop.now() / day)),
      command: async (draft) => [rscript, '--vanilla', '-e', script, draft, repos, ...packages],
    }),
  );
}
