/** A pipeline as a request describes it. Fields that are not known here are kept and shown. */
import { Type, type Static } from 'typebox';
import { invalid } from '../errors.ts';
import { validateSpec, type PipelineSpec } from './pipeline-spec.ts';

const path = Type.Object({ path: Type.String({ description: 'Path in the workspace.' }) });

export const PipelineDocument = Type.Object({
  name: Type.String({ description: 'Name of the pipeline, as tasks and paths may name it.' }),
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
        file: Type.Optional(path),
        notebook: Type.Optional(path),
      }),
      {
        description:
          'Where its definitions are: SQL files and SQL notebooks of the workspace. Each entry has one of glob, file and notebook.',
      },
    ),
  ),
  configuration: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Values for ${key} in its SQL.' }),
  ),
  storage: Type.Optional(
    Type.String({
      description:
        'Directory of managed_fs that its tables are written in. Default: managed_fs:/pipelines/<name>.',
    }),
  ),
  catalog: Type.Optional(
    Type.String({ description: 'Its queries may write this name before those of its tables.' }),
  ),
  schema: Type.Optional(
    Type.String({ description: 'Its queries may write this name before those of its tables.' }),
  ),
  target: Type.Optional(Type.String({ description: 'Older name of schema.' })),
  continuous: Type.Optional(
    Type.Boolean({ description: 'Only false: updates are started by requests, jobs and schedules.' }),
  ),
});

export type PipelineDocument = Static<typeof PipelineDocument>;

/** @throws ServiceError that names the field which breaks a rule */
export function toPipelineSpec({
  name,
  libraries = [],
  configuration = {},
  storage,
  catalog,
  schema,
  target,
  continuous,
}: PipelineDocument): PipelineSpec {
  if (continuous === true)
    throw invalid(
      'continuous is true, but pipelines are updated when they are asked to: by a request, a job, or the schedule of one.',
    );
  for (const [index, library] of libraries.entries()) {
    const kinds = [library.glob, library.file, library.notebook].filter((kind) => kind !== undefined);
    if (kinds.length !== 1)
      throw invalid(
        `libraries[${index}] has ${kinds.length} of glob, file and notebook; exactly one is needed.`,
      );
    const where = library.glob?.include ?? library.file?.path ?? library.notebook?.path ?? '';
    if (!where.startsWith('/'))
      throw invalid(
        `libraries[${index}] names ${JSON.stringify(where)}; it must be a path of the workspace that begins with a slash.`,
      );
  }
  const within = schema ?? target;
  return validateSpec({
    name,
    configuration,
    libraries,
    ...(storage !== undefined && storage !== '' && { storage }),
    ...(catalog !== undefined && { catalog }),
    ...(within !== undefined && { schema: within }),
  });
}
