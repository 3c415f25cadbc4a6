/** Looks at the plugins that the configuration names, and refuses those that break the contract. */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../engine/errors.ts';
import { isBuiltIn, type PluginKind } from '../../engine/job/task-kinds.ts';
import { tryParseJson, readHead } from '../../engine/read-file.ts';
import { quote } from '../../engine/validation/messages.ts';
import { checkPlugin } from './check-plugin.ts';
import type { DescribePluginResponse, DescribePluginRequest } from './describe-plugin.ts';
import { PluginError, type PluginSource } from './plugin-source.ts';

type PluginDescription = Extract<DescribePluginResponse, { found: true }>;

/** How long a module may take to load (ms). */
const loadTimeoutMs = 30_000;

/**
 * The task kinds of these plugins, in their order. Each module is loaded in a thread of its own, which sees
 * `environment` and ends again: what a plugin does while it is loaded does not reach the engine.
 * @throws PluginError for the first that cannot be loaded, breaks the contract, or provides a kind that is
 *   there already
 */
export async function loadPlugins(
  places: readonly PluginSource[],
  environment: Readonly<Record<string, string>>,
): Promise<PluginKind[]> {
  const loaded = await Promise.all(
    places.map(async (place) => ({
      place,
      kind: toPluginKind(place, await describePlugin(place, environment)),
    })),
  );
  for (const [index, { place, kind }] of loaded.entries()) {
    const same = loaded.findIndex((one) => one.kind.name === kind.name);
    if (same < index)
      throw new PluginError(
        place,
        `provides the task kind ${kind.name}, as does ${quote(places[same]?.specifier)}.`,
      );
  }
  return loaded.map(({ kind }) => kind);
}

function toPluginKind(source: PluginSource, description: PluginDescription): PluginKind {
  const refuse = (reason: string): never => {
    throw new PluginError(source, reason);
  };
  const kind = checkPlugin(description, refuse);
  if (isBuiltIn(kind.name)) refuse(`provides the task kind ${kind.name}, which is built in.`);
  return { ...kind, module: description.module };
}

async function describePlugin(
  place: PluginSource,
  environment: Readonly<Record<string, string>>,
): Promise<PluginDescription> {
  const workerData: DescribePluginRequest = {
    specifier: await resolveSpecifier(place),
    base: place.baseDirectory,
  };
  const worker = new Worker(new URL('./describe-plugin.ts', import.meta.url), {
    workerData,
    env: { ...environment },
    stdout: true,
    stderr: true,
  });
  const answered = Promise.withResolvers<DescribePluginResponse>();
  const timer = setTimeout(
    () => answered.resolve({ found: false, reason: `did not load within ${loadTimeoutMs / 1_000} seconds.` }),
    loadTimeoutMs,
  );
  worker.once('message', answered.resolve);
  worker.once('error', (error) =>
    answered.resolve({ found: false, reason: `cannot be loaded: ${messageOf(error)}` }),
  );
  worker.once('exit', (code) =>
    answered.resolve({ found: false, reason: `ended its thread with code ${code} while it was loaded.` }),
  );
  const answer = await answered.promise;
  clearTimeout(timer);
  await worker.terminate();
  if (!answer.found) throw new PluginError(place, answer.reason);
  return answer;
}

/**
 * A file, the directory of a package, and whatever looks like a path is a path; everything else is the name
 * of a package.
 */
async function resolveSpecifier({ specifier, baseDirectory }: PluginSource): Promise<string> {
  const path = resolve(baseDirectory, specifier);
  const entry = await findPackageEntry(path);
  if (entry !== undefined) return pathToFileURL(resolve(path, entry)).href;
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  return isFile || /^\.{0,2}\//.test(specifier) ? pathToFileURL(path).href : specifier;
}

/** The module that the package in a directory is used by; undefined where there is no package. */
async function findPackageEntry(directory: string): Promise<string | undefined> {
  const { text, bytes } = await readHead(join(directory, 'package.json'), 2 ** 20);
  if (bytes === 0) return undefined;
  const { exports, main }: { exports?: unknown; main?: unknown } = Object(tryParseJson(text));
  return resolveExports(exports) ?? (typeof main === 'string' ? main : 'index.js');
}

/** `exports` is a path, or conditions and subpaths around one. */
function resolveExports(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  const parts = new Map<string, unknown>(Object.entries(Object(exports)));
  const inner = parts.get('.') ?? parts.get('import') ?? parts.get('node') ?? parts.get('default');
  return inner === undefined ? undefined : resolveExports(inner);
}
