/** Loads the configured plugins, and refuses those that break the contract. */
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

/** Maximum time in ms to load a module. */
const loadTimeoutMs = 30_000;

/**
 * Returns the task kinds of plugins, in their order. Each module is loaded in a temporary thread with
 * `environment`, so that code that runs on load cannot affect the engine.
 * @throws PluginError for the first that cannot be loaded, breaks the contract, or provides a kind that is
 *   there already
 */
export async function loadPlugins(
  sources: readonly PluginSource[],
  environment: Readonly<Record<string, string>>,
): Promise<PluginKind[]> {
  const loaded = await Promise.all(
    sources.map(async (source) => ({
      source,
      kind: toPluginKind(source, await describePlugin(source, environment)),
    })),
  );
  for (const [index, { source, kind }] of loaded.entries()) {
    const same = loaded.findIndex((one) => one.kind.name === kind.name);
    if (same < index)
      throw new PluginError(
        source,
        `provides the task kind ${kind.name}, as does ${quote(sources[same]?.specifier)}.`,
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
  source: PluginSource,
  environment: Readonly<Record<string, string>>,
): Promise<PluginDescription> {
  const workerData: DescribePluginRequest = {
    specifier: await resolveSpecifier(source),
    base: source.baseDirectory,
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
    answered.resolve({ found: false, reason: `ended its thread with code ${code} while loading.` }),
  );
  const answer = await answered.promise;
  clearTimeout(timer);
  await worker.terminate();
  if (!answer.found) throw new PluginError(source, answer.reason);
  return answer;
}

/** Resolves a specifier: a file, a package directory or a path to a URL; other names are packages. */
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

/** Returns the entry module of the package in a directory; undefined without a package. */
async function findPackageEntry(directory: string): Promise<string | undefined> {
  const { text, bytes } = await readHead(join(directory, 'package.json'), 2 ** 20);
  if (bytes === 0) return undefined;
  const { exports, main }: { exports?: unknown; main?: unknown } = Object(tryParseJson(text));
  return resolveExports(exports) ?? (typeof main === 'string' ? main : 'index.js');
}

/** Finds the path in `exports`, below its subpaths and conditions. */
function resolveExports(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  const parts = new Map<string, unknown>(Object.entries(Object(exports)));
  const inner = parts.get('.') ?? parts.get('import') ?? parts.get('node') ?? parts.get('default');
  return inner === undefined ? undefined : resolveExports(inner);
}
