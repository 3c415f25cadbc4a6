/**
 * The task kinds: the six built-in ones with their schemas, those of plugins, and which kind a task has (spec
 * 2.7).
 */
import { Type, type Static, type TSchema } from 'typebox';
import { Id, epochMillis, stringMap, stringList } from '../validation/scalars.ts';

export const NotebookTask = Type.Object(
  {
    notebook_path: Type.String({
      description: 'Absolute path of the notebook in the workspace; begins with a slash.',
    }),
    revision_timestamp: Type.Optional(
      epochMillis('Epoch ms: the newest revision not later than this instant. Default: the newest.'),
    ),
    base_parameters: Type.Optional(
      stringMap('Parameters of the notebook, ASCII only. Those of run-now are merged in and win.'),
    ),
    source: Type.Optional(
      Type.Enum(['WORKSPACE', 'GIT'], {
        description: 'Where the notebook is kept. Default: WORKSPACE, or GIT in a job with git_source.',
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
    full_refresh: Type.Optional(Type.Boolean({ description: 'Computes all datasets anew. Default: false.' })),
    full_refresh_selection: Type.Optional(
      stringList('Tables that are computed anew; other tables are left alone.'),
    ),
    refresh_selection: Type.Optional(stringList('Tables that are updated; other tables are left alone.')),
    validate_only: Type.Optional(
      Type.Boolean({ description: 'Only checks the definition. Default: false.' }),
    ),
  },
  { description: 'Runs an update of a declarative pipeline. Needs no cluster.' },
);

export const RunJobTask = Type.Object(
  {
    job_id: Type.Integer({ ...Id, description: 'Job to run.' }),
    job_parameters: Type.Optional(
      stringMap('Values of the parameters of that job, instead of their defaults.'),
    ),
    jar_params: Type.Optional(stringList('For its JAR tasks, as in run-now.')),
    notebook_params: Type.Optional(stringMap('For its notebook tasks, as in run-now.')),
    python_params: Type.Optional(stringList('For its Python tasks, as in run-now.')),
    spark_submit_params: Type.Optional(stringList('For its submit tasks, as in run-now.')),
  },
  { description: 'Runs another job and waits for it. Needs no cluster.' },
);

export type NotebookTask = Static<typeof NotebookTask>;
export type SparkJarTask = Static<typeof SparkJarTask>;
export type SparkPythonTask = Static<typeof SparkPythonTask>;
export type SparkSubmitTask = Static<typeof SparkSubmitTask>;
export type PipelineTask = Static<typeof PipelineTask>;
export type RunJobTask = Static<typeof RunJobTask>;

/** The field of each task kind, optional, as it stands in a job and in a task. */
export const taskKindFields = {
  notebook_task: Type.Optional(NotebookTask),
  spark_jar_task: Type.Optional(SparkJarTask),
  spark_python_task: Type.Optional(SparkPythonTask),
  spark_submit_task: Type.Optional(SparkSubmitTask),
  pipeline_task: Type.Optional(PipelineTask),
  run_job_task: Type.Optional(RunJobTask),
};

/** The built-in kinds: the names of their fields, in the order of spec 2.2. */
export const taskKinds = [
  'notebook_task',
  'spark_jar_task',
  'spark_python_task',
  'spark_submit_task',
  'pipeline_task',
  'run_job_task',
] as const satisfies readonly (keyof typeof taskKindFields)[];

export type TaskKind = (typeof taskKinds)[number];

/** A task kind as the rules of settings see it. */
export interface TaskKindInfo {
  /** The settings field that holds such a task. */
  readonly name: string;
  readonly needsCluster: boolean;
}

/** A task kind that a plugin brings. */
export interface PluginKind extends TaskKindInfo {
  /** What the field may hold: a JSON schema of an object. */
  readonly schema: TSchema;
  /** Address of the module that runs it, as a file URL. */
  readonly module: string;
}

/** Kinds that run without a cluster (spec 2.2, design 10). */
const kindsWithoutCluster: ReadonlySet<TaskKind> = new Set(['pipeline_task', 'run_job_task']);

/** The built-in kinds, as the rules see them. */
export const builtInKinds: readonly TaskKindInfo[] = taskKinds.map((name) => ({
  name,
  needsCluster: !kindsWithoutCluster.has(name),
}));

/** What a task of a built-in kind is told to do. */
export type TaskBody =
  | NotebookTask
  | SparkJarTask
  | SparkPythonTask
  | SparkSubmitTask
  | PipelineTask
  | RunJobTask;

/** An object that may carry task kinds: job settings, a submission, a task. */
export type TaskKindHolder = { readonly [kind in TaskKind]?: TaskBody };

/** The first task kind that a job or a task carries; undefined when it carries none. */
export function builtInKindOf(holder: TaskKindHolder): TaskKind | undefined {
  return taskKinds.find((kind) => holder[kind] !== undefined);
}

/**
 * Every task kind that a job or a task carries, known or not: a key that ends in `_task` and holds an object.
 * So a kind that nobody here can run is refused by name and never mistaken for an unknown setting.
 */
export function taskKindsIn(holder: object): string[] {
  return Object.entries(holder)
    .filter(([key, value]) => isTaskKindField(key, value))
    .map(([key]) => key);
}

/** Whether a field holds a task of some kind, known or not. */
export function isTaskKindField(field: string, value: unknown): boolean {
  return field.endsWith('_task') && typeof value === 'object' && value !== null;
}

/** The one kind of a task whose settings were checked, built in or not; undefined for a task without any. */
export function taskKindOf(task: object): string | undefined {
  return taskKindsIn(task)[0];
}

/** What a task of this kind is told to do, as it is written; undefined when the task has no such kind. */
export function taskBodyOf(
  task: object,
  kind: string | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const [, body] = Object.entries(task).find(([key]) => key === kind) ?? [];
  return typeof body === 'object' && body !== null ? { ...body } : undefined;
}

/** Whether a name is that of a built-in kind. */
export function isBuiltIn(kind: string): kind is TaskKind {
  return taskKinds.some((name) => name === kind);
}
