/** Thread that loads one plugin and tells what it is: its module is never loaded by the engine itself. */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../engine/errors.ts';

/** What the thread is asked: a module to load, as its URL or as a package that is looked for from `base`. */
export interface DescribePluginRequest {
  readonly specifier: string;
  /** Absolute directory. */
  readonly base: string;
}

/**
 * What it answers. Everything is told as it stands in the module, whatever type it has; functions by their
 * type alone.
 */
export type DescribePluginResponse =
  | {
      readonly found: true;
      readonly module: string;
      readonly contract: unknown;
      readonly kind: unknown;
      readonly needsCluster: unknown;
      readonly schema: string | undefined;
      readonly run: string;
    }
  | { readonly found: false; readonly reason: string };

async function loadDescription({ specifier, base }: DescribePluginRequest): Promise<DescribePluginResponse> {
  let module = specifier;
  const hooks = registerHooks({
    resolve(name, context, next) {
      if (name !== specifier) return next(name, context);
      const resolved = next(name, { ...context, parentURL: pathToFileURL(`${base}/`).href });
      module = resolved.url;
      return resolved;
    },
  });
  try {
    const { plugin }: { plugin?: unknown } = await import(specifier);
    if (typeof plugin !== 'object' || plugin === null)
      return { found: false, reason: 'exports no object as "plugin".' };
    const parts = new Map<string, unknown>(Object.entries(plugin));
    const told = (name: string): unknown => toCloneable(parts.get(name));
    return {
      found: true,
      module,
      contract: told('contract'),
      kind: told('kind'),
      needsCluster: told('needsCluster'),
      schema: JSON.stringify(parts.get('schema')),
      run: typeof parts.get('run'),
    };
  } catch (error) {
    return { found: false, reason: `cannot be loaded: ${messageOf(error)}` };
  } finally {
    hooks.deregister();
  }
}

/** Only what a message between threads can carry. */
function toCloneable(value: unknown): unknown {
  return ['string', 'number', 'boolean', 'undefined'].includes(typeof value) ? value : typeof value;
}

const request: DescribePluginRequest = workerData;
const response = await loadDescription(request);
const port = parentPort;
port?.postMessage(response);
