/** Task kinds, built-in and of plugins, and their schemas (spec 2.7). */
import { Type, type Static, type TSchema } from 'typebox';
import { Id, epochMillis, stringMap, stringList } from '../validation/scalars.ts';

export const NotebookTask = Type.Object(
  {
    notebook_path: Type.String({
      description: 'Absolute path of the notebook in the workspace; starts with a slash.',
    }),
    revision_timestamp: Type.Optional(
      epochMillis('Epoch ms: the newest revision not later than this instant. Default: the newest.'),
    ),
    base_parameters: Type.Optional(
      stringMap('Parameters of the notebook, ASCII only. Parameters of run-now override them.'),
    ),
    source: Type.Optional(
      Type.Enum(['WORKSPACE', 'GIT'], {
        description: 'Location of the notebook. Default: WORKSPACE, or GIT in a job with git_source.',
      }),
    ),
  },
  { description: 'Runs a notebook.' },
);

export const SparkJarTask = Type.Object(
  {
    jar_uri: Type.Optional(Type.String({ description: 'Deprecated: provide the JAR through libraries.' })),
    main_class_name: Type.Optional(
      Type.String({
        description:
          'Full name of the class with the main method; it must be in a JAR provided as a library.',
      }),
    ),
    parameters: Type.Optional(stringList('Passed to the main method.')),
  },
  { description: 'Runs the main method of a class.' },
);

export const SparkPythonTask = Type.Object(
  {
    python_file: Type.String({ description: 'URI of the file to run; managed_fs paths are supported.' }),
    parameters: Type.Optional(stringList('Command-line parameters.')),
  },
  { description: 'Runs a Python file.' },
);

export const SparkSubmitTask = Type.Object(
  {
    parameters: Type.Optional(
      stringList(
        'Command-line parameters of the submit script. master, deploy-mode and executor-cores are set by the service.',
      ),
    ),
  },
  {
    description:
      'Runs the submit script. Only on a new cluster; libraries and spark_conf go into the parameters.',
  },
);

export const PipelineTask = Type.Object(
  {
    pipeline_id: Type.String({
      description:
        'Pipeline to execute: its name, its UUID, or the workspace path of its folder or spec file.',
    }),
    full_refresh: Type.Optional(Type.Boolean({ description: 'Recomputes all datasets. Default: false.' })),
    full_refresh_selection: Type.Optional(stringList('Tables to recompute; other tables stay unchanged.')),
    refresh_selection: Type.Optional(stringList('Tables to update; other tables stay unchanged.')),
    validate_only: Type.Optional(
      Type.Boolean({ description: 'Only validates the definition. Default: false.' }),
    ),
  },
  { description: 'Runs an update of a declarative pipeline. Needs no cluster.' },
);

export const RunJobTask = Type.Object(
  {
    job_id: Type.Integer({ ...Id, description: 'Job to run.' }),
    job_parameters: Type.Optional(stringMap('Parameter values of that job, which replace the defaults.')),
    jar_params: Type.Optional(stringList('Parameters of its JAR tasks, as in run-now.')),
    notebook_params: Type.Optional(stringMap('Parameters of its notebook tasks, as in run-now.')),
    python_params: Type.Optional(stringList('Parameters of its Python tasks, as in run-now.')),
    spark_submit_params: Type.Optional(stringList('Parameters of its submit tasks, as in run-now.')),
  },
  { description: 'Runs another job and waits for it. Needs no cluster.' },
);

export type NotebookTask = Static<typeof NotebookTask>;
export type SparkJarTask = Static<typeof SparkJarTask>;
export type SparkPythonTask = Static<typeof SparkPythonTask>;
export type SparkSubmitTask = Static<typeof SparkSubmitTask>;
export type PipelineTask = Static<typeof PipelineTask>;
export type RunJobTask = Static<typeof RunJobTask>;

/** Optional field of each task kind, in jobs and tasks. */
export const taskKindFields = {
  notebook_task: Type.Optional(NotebookTask),
  spark_jar_task: Type.Optional(SparkJarTask),
  spark_python_task: Type.Optional(SparkPythonTask),
  spark_submit_task: Type.Optional(SparkSubmitTask),
  pipeline_task: Type.Optional(PipelineTask),
  run_job_task: Type.Optional(RunJobTask),
};

/** Names of the built-in kinds, in the order of spec 2.2. */
export const taskKinds = [
  'notebook_task',
  'spark_jar_task',
  'spark_python_task',
  'spark_submit_task',
  'pipeline_task',
  'run_job_task',
] as const satisfies readonly (keyof typeof taskKindFields)[];

export type TaskKind = (typeof taskKinds)[number];

/** Task kind, as far as validation needs it. */
export interface TaskKindInfo {
  /** Field of the settings. */
  readonly name: string;
  readonly needsCluster: boolean;
}

/** Task kind of a plugin. */
export interface PluginKind extends TaskKindInfo {
  /** JSON schema of the field, an object. */
  readonly schema: TSchema;
  /** File URL of the module that runs the task. */
  readonly module: string;
}

/** Kinds that run without a cluster (spec 2.2). */
const kindsWithoutCluster: ReadonlySet<TaskKind> = new Set(['pipeline_task', 'run_job_task']);

export const builtInKinds: readonly TaskKindInfo[] = taskKinds.map((name) => ({
  name,
  needsCluster: !kindsWithoutCluster.has(name),
}));

/** Body of a task of a built-in kind. */
export type TaskBody =
  | NotebookTask
  | SparkJarTask
  | SparkPythonTask
  | SparkSubmitTask
  | PipelineTask
  | RunJobTask;

/** Object with task kind fields: job settings, a submission or a task. */
export type TaskKindHolder = { readonly [kind in TaskKind]?: TaskBody };

/** Returns the first built-in kind of a job or task. */
export function builtInKindOf(holder: TaskKindHolder): TaskKind | undefined {
  return taskKinds.find((kind) => holder[kind] !== undefined);
}

/**
 * Lists the task kind fields of a job or task, known or unknown: objects under a key that ends in `_task`.
 * Thus an unknown kind is refused by name and not accepted as an unknown setting.
 */
export function taskKindsIn(holder: object): string[] {
  return Object.entries(holder)
    .filter(([key, value]) => isTaskKindField(key, value))
    .map(([key]) => key);
}

/** Tells whether a field is a task kind field, known or unknown. */
export function isTaskKindField(field: string, value: unknown): boolean {
  return field.endsWith('_task') && typeof value === 'object' && value !== null;
}

/** Returns the kind of a validated task; undefined for a task without a kind. */
export function taskKindOf(task: object): string | undefined {
  return taskKindsIn(task)[0];
}

/** Returns the body of a task kind as written; undefined when the task does not have the kind. */
export function taskBodyOf(
  task: object,
  kind: string | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const [, body] = Object.entries(task).find(([key]) => key === kind) ?? [];
  return typeof body === 'object' && body !== null ? { ...body } : undefined;
}

/** Tells whether a kind is built in. */
export function isBuiltIn(kind: string): kind is TaskKind {
  return taskKinds.some((name) => name === kind);
}
