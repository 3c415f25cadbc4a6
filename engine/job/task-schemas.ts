/** Schemas of the bodies of the built-in task kinds (spec 2.7). */
import { Type, type Static } from 'typebox';
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
        description: 'Location of the notebook. GIT is not supported. Default: WORKSPACE.',
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
    source: Type.Optional(
      Type.Enum(['WORKSPACE', 'GIT'], { description: 'Location of the file. GIT is not supported.' }),
    ),
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

export const PipelineParams = Type.Object(
  {
    full_refresh: Type.Optional(Type.Boolean({ description: 'Recomputes all datasets. Default: false.' })),
    full_refresh_selection: Type.Optional(stringList('Tables to recompute; other tables stay unchanged.')),
    refresh_selection: Type.Optional(stringList('Tables to update; other tables stay unchanged.')),
  },
  { description: 'For pipeline tasks: replaces their fields of the same names.' },
);

export const RunJobTask = Type.Object(
  {
    job_id: Type.Integer({ ...Id, minimum: 1, description: 'Job to run.' }),
    job_parameters: Type.Optional(stringMap('Parameter values of that job, which replace the defaults.')),
    jar_params: Type.Optional(stringList('Parameters of its JAR tasks, as in run-now.')),
    notebook_params: Type.Optional(stringMap('Parameters of its notebook tasks, as in run-now.')),
    python_params: Type.Optional(stringList('Parameters of its Python tasks, as in run-now.')),
    spark_submit_params: Type.Optional(stringList('Parameters of its submit tasks, as in run-now.')),
    pipeline_params: Type.Optional(PipelineParams),
  },
  { description: 'Runs another job and waits for it. Needs no cluster.' },
);

export type NotebookTask = Static<typeof NotebookTask>;
export type SparkJarTask = Static<typeof SparkJarTask>;
export type SparkPythonTask = Static<typeof SparkPythonTask>;
export type SparkSubmitTask = Static<typeof SparkSubmitTask>;
export type PipelineTask = Static<typeof PipelineTask>;
export type RunJobTask = Static<typeof RunJobTask>;
