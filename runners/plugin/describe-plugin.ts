/** Thread that loads one plugin and describes it. The engine itself never loads the module. */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../engine/errors.ts';

/** Request: a module to load, by URL or by the name of a package that is resolved from `base`. */
export interface DescribePluginRequest {
  readonly specifier: string;
  /** Absolute directory. */
  readonly base: string;
}

/** Answer: the exported properties with unchecked types; functions only as their type. */
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
    const property = (name: string): unknown => toCloneable(parts.get(name));
    return {
      found: true,
      module,
      contract: property('contract'),
      kind: property('kind'),
      needsCluster: property('needsCluster'),
      schema: JSON.stringify(parts.get('schema')),
      run: typeof parts.get('run'),
    };
  } catch (error) {
    return { found: false, reason: `cannot be loaded: ${messageOf(error)}` };
  } finally {
    hooks.deregister();
  }
}

/** Replaces a value that cannot be sent between threads by its type. */
function toCloneable(value: unknown): unknown {
  return ['string', 'number', 'boolean', 'undefined'].includes(typeof value) ? value : typeof value;
}

const request: DescribePluginRequest = workerData;
const response = await loadDescription(request);
const port = parentPort;
port?.postMessage(response);
