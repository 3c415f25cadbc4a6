/** The specification of a pipeline: as a spec file of the open format, or as the body of a request. */
import { parseDocument } from 'yaml';
import { invalid } from '../errors.ts';
import { canonicalUri } from '../validation/aliases.ts';
import { quote } from '../validation/messages.ts';
import { nearestName } from '../validation/nearest-name.ts';
import { isRecord } from '../validation/is-record.ts';

/** One entry of `libraries`: where files of a pipeline are. */
export interface PipelineLibrary {
  readonly glob?: { readonly include: string };
  readonly file?: { readonly path: string };
  readonly notebook?: { readonly path: string };
}

export interface PipelineSpec {
  readonly name: string;
  /** Where its tables are written, as `managed_fs:/…`. Default: `managed_fs:/pipelines/<name>`. */
  readonly storage?: string;
  readonly catalog?: string;
  readonly schema?: string;
  readonly configuration: Readonly<Record<string, string>>;
  readonly libraries: readonly PipelineLibrary[];
}

/** Names of spec files in the folder of a pipeline, each of which is taken. */
export const specFileNames = [
  'spark-pipeline.yml',
  'spark-pipeline.yaml',
  'pipeline.yml',
  'pipeline.yaml',
] as const;

const keys = ['name', 'storage', 'libraries', 'catalog', 'database', 'schema', 'configuration'] as const;

/**
 * Reads a spec file.
 * @param path names the file in refusals
 * @throws ServiceError for what is no YAML, an unknown key, or a value that breaks a rule
 */
export function parseSpec(text: string, path: string): PipelineSpec {
  const document = parseDocument(text, { prettyErrors: true });
  const [wrong] = document.errors;
  if (wrong !== undefined) throw invalid(`${path}: ${wrong.message.split('\n')[0] ?? 'this is no YAML'}`);
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  if (!isRecord(value))
    throw invalid(`${path} is ${quote(value)}; it must be a list of keys with values, such as name: sales.`);
  for (const key of Object.keys(value)) {
    if (keys.some((known) => known === key)) continue;
    throw invalid(
      `${path} has the unknown key ${quote(key)}; did you mean ${nearestName(key, keys)}? Known are ${keys.join(', ')}.`,
    );
  }
  const { name, storage, catalog, database, schema, configuration = {}, libraries = [] } = value;
  if (name === undefined || name === null) throw invalid(`${path} lacks the key name.`);
  if (database !== undefined && schema !== undefined)
    throw invalid(`${path} has database and schema, which mean the same; only one of them may be given.`);
  return validateSpec(
    {
      name: parseText(path, 'name', name),
      ...(storage !== undefined && { storage: parseText(path, 'storage', storage) }),
      ...(catalog !== undefined && { catalog: parseText(path, 'catalog', catalog) }),
      ...((database ?? schema) !== undefined && {
        schema: parseText(path, database === undefined ? 'schema' : 'database', database ?? schema),
      }),
      configuration: parseConfiguration(path, configuration),
      libraries: parseLibraries(path, libraries),
    },
    `${path}: `,
  );
}

/**
 * The rules that a spec file and a request have in common.
 * @param where begins the messages
 * @throws ServiceError that names the field
 */
export function validateSpec(spec: PipelineSpec, where = ''): PipelineSpec {
  if (
    !/^[^/\\\p{Cc}]{1,200}$/u.test(spec.name) ||
    spec.name.trim() !== spec.name ||
    /^\.+$/.test(spec.name)
  ) {
    throw invalid(
      `${where}name is ${quote(spec.name)}; it must have 1 to 200 characters, no slash, and no blank at its ends.`,
    );
  }
  if (spec.storage !== undefined && !/^managed_fs:\/+[^/]/.test(canonicalUri(spec.storage))) {
    throw invalid(
      `${where}storage is ${quote(spec.storage)}; it must be a directory below managed_fs:/, such as managed_fs:/pipelines/${spec.name}.`,
    );
  }
  return spec;
}

function parseConfiguration(path: string, value: unknown): Record<string, string> {
  if (value === null) return {};
  if (!isRecord(value))
    throw invalid(`${path}: configuration is ${quote(value)}; it must be keys with texts.`);
  return Object.fromEntries(
    Object.entries(value).map(([key, text]) => {
      if (!['string', 'number', 'boolean'].includes(typeof text))
        throw invalid(`${path}: configuration.${key} is ${quote(text)}; it must be a text.`);
      return [key, String(text)];
    }),
  );
}

function parseLibraries(path: string, value: unknown): PipelineLibrary[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw invalid(`${path}: libraries is ${quote(value)}; it must be a list.`);
  return value.map((entry: unknown, index) => {
    const glob = isRecord(entry) ? entry['glob'] : undefined;
    const include = isRecord(glob) ? glob['include'] : undefined;
    const isWhole =
      isRecord(entry) && isRecord(glob) && Object.keys(entry).length === 1 && Object.keys(glob).length === 1;
    if (!isWhole || typeof include !== 'string' || include === '') {
      throw invalid(
        `${path}: libraries[${index}] is ${quote(entry)}; it must be glob: with include: and a path, such as transformations/**.`,
      );
    }
    return { glob: { include } };
  });
}

function parseText(path: string, key: string, value: unknown): string {
  if (typeof value !== 'string' || value === '')
    throw invalid(`${path}: ${key} is ${quote(value)}; it must be a text.`);
  return value;
}
