/** Spec of a pipeline, from a spec file in the open format or from the body of a request. */
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { Library, libraryKinds, NewCluster } from '../job/cluster.ts';
import { isRecord } from '../validation/json-object.ts';
import { parseDocument } from 'yaml';
import { invalid } from '../errors.ts';
import { canonicalUri } from '../validation/aliases.ts';
import { quote } from '../validation/messages.ts';
import { nearestName } from '../validation/nearest-name.ts';

/** Entry of `libraries`: files of a pipeline. */
export interface PipelineLibrary {
  readonly glob?: { readonly include: string };
  readonly file?: { readonly path: string };
  readonly notebook?: { readonly path: string };
}

/** Cluster of the updates that Spark runs: the fields of a new cluster, and a label, which has no effect. */
export type PipelineCluster = Partial<NewCluster> & { readonly label?: string };

export interface PipelineSpec {
  readonly name: string;
  /** Directory of its tables, as `managed_fs:/…`. Default: `managed_fs:/pipelines/<name>`. */
  readonly storage?: string;
  readonly catalog?: string;
  readonly schema?: string;
  readonly configuration: Readonly<Record<string, string>>;
  readonly libraries: readonly PipelineLibrary[];
  /** Libraries for Spark, as on a cluster. */
  readonly packages?: readonly Library[];
  /** The first one is the cluster of the updates. */
  readonly clusters?: readonly PipelineCluster[];
}

/** Schema of an entry of `clusters`. */
export const PipelineClusterSchema = Type.Object({
  ...Type.Partial(NewCluster).properties,
  label: Type.Optional(Type.String({ description: 'Has no effect.' })),
});

/** Recognised names of spec files in the folder of a pipeline. */
export const specFileNames = [
  'spark-pipeline.yml',
  'spark-pipeline.yaml',
  'pipeline.yml',
  'pipeline.yaml',
] as const;

const keys = [
  'name',
  'storage',
  'libraries',
  'catalog',
  'database',
  'schema',
  'configuration',
  'clusters',
] as const;

/**
 * Reads a spec file.
 * @param path path of the file, for errors
 * @throws ServiceError for invalid YAML, an unknown key, or an invalid value
 */
export function parseSpec(text: string, path: string): PipelineSpec {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined)
    throw invalid(`${path}: ${error.message.split('\n')[0] ?? 'the file is not YAML'}`);
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  if (!isRecord(value))
    throw invalid(`${path} is ${quote(value)}; it must be a list of keys with values, such as name: sales.`);
  for (const key of Object.keys(value)) {
    if (keys.some((known) => known === key)) continue;
    throw invalid(
      `${path} has the unknown key ${quote(key)}; did you mean ${nearestName(key, keys)}? Known keys are ${keys.join(', ')}.`,
    );
  }
  const { name, storage, catalog, database, schema, configuration = {}, libraries = [], clusters } = value;
  if (name === undefined || name === null) throw invalid(`${path} lacks the key name.`);
  if (database !== undefined && schema !== undefined)
    throw invalid(`${path} has database and schema, which mean the same; only one of them is allowed.`);
  return validateSpec(
    {
      name: parseText(path, 'name', name),
      ...(storage !== undefined && { storage: parseText(path, 'storage', storage) }),
      ...(catalog !== undefined && { catalog: parseText(path, 'catalog', catalog) }),
      ...((database ?? schema) !== undefined && {
        schema: parseText(path, database === undefined ? 'schema' : 'database', database ?? schema),
      }),
      configuration: parseConfiguration(path, configuration),
      ...parseLibraries(path, libraries),
      ...(clusters !== undefined && { clusters: parseClusters(path, clusters) }),
    },
    `${path}: `,
  );
}

/**
 * Checks the rules that apply to spec files and requests.
 * @param prefix start of error messages
 * @throws ServiceError that names the field
 */
export function validateSpec(spec: PipelineSpec, prefix = ''): PipelineSpec {
  if (
    !/^[^/\\\p{Cc}]{1,200}$/u.test(spec.name) ||
    spec.name.trim() !== spec.name ||
    /^\.+$/.test(spec.name)
  ) {
    throw invalid(
      `${prefix}name is ${quote(spec.name)}; it must have 1 to 200 characters, no slash, and no surrounding whitespace.`,
    );
  }
  if (spec.storage !== undefined && !/^managed_fs:\/+[^/]/.test(canonicalUri(spec.storage))) {
    throw invalid(
      `${prefix}storage is ${quote(spec.storage)}; it must be a directory below managed_fs:/, such as managed_fs:/pipelines/${spec.name}.`,
    );
  }
  return spec;
}

function parseConfiguration(path: string, value: unknown): Record<string, string> {
  if (value === null) return {};
  if (!isRecord(value))
    throw invalid(`${path}: configuration is ${quote(value)}; it must be a map of texts.`);
  return Object.fromEntries(
    Object.entries(value).map(([key, text]) => {
      if (!['string', 'number', 'boolean'].includes(typeof text))
        throw invalid(`${path}: configuration.${key} is ${quote(text)}; it must be a text.`);
      return [key, String(text)];
    }),
  );
}

function parseLibraries(path: string, value: unknown): Pick<PipelineSpec, 'libraries' | 'packages'> {
  if (value === null) return { libraries: [] };
  if (!Array.isArray(value)) throw invalid(`${path}: libraries is ${quote(value)}; it must be a list.`);
  const packages: Library[] = [];
  const libraries = value.flatMap((entry: unknown, index): PipelineLibrary[] => {
    if (isPackage(entry)) {
      packages.push(entry);
      return [];
    }
    const glob = isRecord(entry) ? entry['glob'] : undefined;
    const include = isRecord(glob) ? glob['include'] : undefined;
    const isWhole =
      isRecord(entry) && isRecord(glob) && Object.keys(entry).length === 1 && Object.keys(glob).length === 1;
    if (!isWhole || typeof include !== 'string' || include === '') {
      throw invalid(
        `${path}: libraries[${index}] is ${quote(entry)}; it must be glob: with include: and a path, such as transformations/**.`,
      );
    }
    return [{ glob: { include } }];
  });
  return { libraries, ...(packages.length > 0 && { packages }) };
}

/** Tells whether an entry is a library of a cluster: a JAR, or a Python or Maven package. */
function isPackage(entry: unknown): entry is Library {
  return Check(Library, entry) && isRecord(entry) && libraryKinds.some((kind) => entry[kind] !== undefined);
}

function parseClusters(path: string, value: unknown): PipelineCluster[] {
  if (!Array.isArray(value) || value.some((entry) => !Check(PipelineClusterSchema, entry)))
    throw invalid(
      `${path}: clusters is ${quote(value)}; it must be a list with the fields of a new cluster, such as num_workers.`,
    );
  return value;
}

function parseText(path: string, key: string, value: unknown): string {
  if (typeof value !== 'string' || value === '')
    throw invalid(`${path}: ${key} is ${quote(value)}; it must be a text.`);
  return value;
}
