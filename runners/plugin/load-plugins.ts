/** Looks at the plugins that the configuration names, and refuses those that break the contract. */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Ajv } from 'ajv';
import { messageOf } from '../../engine/errors.ts';
import { isBuiltIn, type PluginKind } from '../../engine/job/task-kinds.ts';
import { tryParseJson, readHead } from '../../engine/read-file.ts';
import { quote } from '../../engine/validation/messages.ts';
import { contractVersion } from '../contract.ts';
import type { DescribePluginResponse, DescribePluginRequest } from './describe-plugin.ts';
import { PluginError, type PluginSource } from './plugin-source.ts';

type PluginDescription = Extract<DescribePluginResponse, { found: true }>;

/** How long a module may take to load (ms). */
const loadTimeoutMs = 30_000;
const kindPattern = /^[a-z][a-z0-9_]{0,63}_task$/;

/**
 * The task kinds of these plugins, in their order. Each module is loaded in a thread of its own, which sees
 * `environment` and ends again: what a plugin does while it is loaded does not reach the engine.
 * @throws PluginError for the first that cannot be loaded, breaks the contract, or brings a kind that is
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
        `brings the task kind ${kind.name}, as does ${quote(places[same]?.specifier)}.`,
      );
  }
  return loaded.map(({ kind }) => kind);
}

/** What is so about a plugin, or a refusal. */
function toPluginKind(
  place: PluginSource,
  { module, contract, kind, needsCluster, schema, run }: PluginDescription,
): PluginKind {
  const refuse = (why: string): never => {
    throw new PluginError(place, why);
  };
  if (contract !== contractVersion)
    refuse(
      `is written for contract ${quote(contract)}; this version of Runyard has contract ${contractVersion}.`,
    );
  if (typeof kind !== 'string' || !kindPattern.test(kind))
    return refuse(
      `has the kind ${quote(kind)}; it must be lower case letters, digits and "_", and end in "_task".`,
    );
  if (isBuiltIn(kind)) refuse(`brings the task kind ${kind}, which is built in.`);
  if (run !== 'function') refuse(`has no function as "run", but ${run}.`);
  if (typeof needsCluster !== 'boolean')
    return refuse(`has ${quote(needsCluster)} as "needsCluster"; it must be true or false.`);
  return { name: kind, needsCluster, module, schema: parseSchema(schema, refuse) };
}

function parseSchema(text: string | undefined, refuse: (why: string) => never): object {
  const schema: unknown = text === undefined ? undefined : JSON.parse(text);
  if (typeof schema !== 'object' || schema === null || !('type' in schema) || schema.type !== 'object') {
    return refuse('has no JSON schema of an object as "schema": its "type" must be "object".');
  }
  // It becomes a part of the schemas of the operations: what names a place would name one of theirs.
  const named = /"(\$ref|\$id|\$anchor|\$dynamicRef|\$dynamicAnchor|\$recursiveRef)":/.exec(text ?? '')?.[1];
  if (named !== undefined)
    return refuse(`has ${named} in its schema, which must stand alone: write out what it refers to.`);
  try {
    new Ajv({ strict: false, logger: false }).compile(schema);
  } catch (error) {
    return refuse(`has a schema that is none: ${messageOf(error)}`);
  }
  return schema;
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
