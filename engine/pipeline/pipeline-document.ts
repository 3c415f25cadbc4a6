/** Pipeline in the body of a request. Unknown fields are kept and shown. */
import { Type, type Static } from 'typebox';
import { invalid } from '../errors.ts';
import { Library, libraryKinds } from '../job/cluster.ts';
import { PipelineClusterSchema, validateSpec, type PipelineSpec } from './pipeline-spec.ts';

const pathSchema = Type.Object({ path: Type.String({ description: 'Path in the workspace.' }) });

export const PipelineDocument = Type.Object({
  name: Type.String({ description: 'Name of the pipeline; tasks and paths can refer to it.' }),
  libraries: Type.Optional(
    Type.Array(
      Type.Object({
        glob: Type.Optional(
          Type.Object({
            include: Type.String({
              description: 'Path or pattern in the workspace, such as /team/sales/transformations/**.',
            }),
          }),
        ),
        file: Type.Optional(pathSchema),
        notebook: Type.Optional(pathSchema),
        ...Library.properties,
      }),
      {
        description:
          'SQL and Python files and notebooks of the workspace with the definitions; each entry has one of glob, file and notebook. Other entries are libraries of its cluster.',
      },
    ),
  ),
  configuration: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Values for ${key} in its SQL.' }),
  ),
  storage: Type.Optional(
    Type.String({
      description: 'Directory of managed_fs for the tables. Default: managed_fs:/pipelines/<name>.',
    }),
  ),
  clusters: Type.Optional(
    Type.Array(PipelineClusterSchema, {
      description: 'Cluster of the updates that Spark runs; the first entry is used.',
    }),
  ),
  catalog: Type.Optional(Type.String({ description: 'Qualifier that queries may put before table names.' })),
  schema: Type.Optional(Type.String({ description: 'Qualifier that queries may put before table names.' })),
  target: Type.Optional(Type.String({ description: 'Older name of schema.' })),
  continuous: Type.Optional(
    Type.Boolean({ description: 'Must be false: requests, jobs and schedules start updates.' }),
  ),
});

export type PipelineDocument = Static<typeof PipelineDocument>;
type LibraryEntry = NonNullable<PipelineDocument['libraries']>[number];

/** Converts the document to a spec. @throws ServiceError that names the invalid field */
export function toPipelineSpec({
  name,
  libraries: entries = [],
  configuration = {},
  clusters,
  storage,
  catalog,
  schema,
  target,
  continuous,
}: PipelineDocument): PipelineSpec {
  if (continuous === true)
    throw invalid(
      'continuous is true; it must be false, because only requests, jobs and their schedules update a pipeline.',
    );
  const packages = entries.filter(isPackage);
  for (const [index, library] of entries.entries()) if (!isPackage(library)) checkFiles(index, library);
  const schemaName = schema ?? target;
  return validateSpec({
    name,
    configuration,
    libraries: entries.filter((entry) => !isPackage(entry)),
    ...(packages.length > 0 && { packages }),
    ...(clusters !== undefined && { clusters }),
    ...(storage !== undefined && storage !== '' && { storage }),
    ...(catalog !== undefined && { catalog }),
    ...(schemaName !== undefined && { schema: schemaName }),
  });
}

/** Tells whether an entry is a library of the cluster, and not files with definitions. */
function isPackage(entry: LibraryEntry): boolean {
  return libraryKinds.some((kind) => entry[kind] !== undefined);
}

function checkFiles(index: number, { glob, file, notebook }: LibraryEntry): void {
  const kinds = [glob, file, notebook].filter((kind) => kind !== undefined);
  if (kinds.length !== 1)
    throw invalid(
      `libraries[${index}] has ${kinds.length} of glob, file and notebook; exactly one is needed.`,
    );
  const path = glob?.include ?? file?.path ?? notebook?.path ?? '';
  if (!path.startsWith('/'))
    throw invalid(
      `libraries[${index}] names ${JSON.stringify(path)}; it must be a path of the workspace that begins with a slash.`,
    );
}
