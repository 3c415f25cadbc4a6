/** Faults of notebooks and pipelines. */
import { cluster, notebook, notebookFault, task, type Fault } from './fault.ts';

export const notebookFaults: readonly Fault[] = [
  notebookFault('/nb/cell', ['x = 1', "y = {}\nprint(y['region'])"], {
    name: 'a cell raises an error',
    code: 'USER_CODE',
    cause: "KeyError: 'region'",
    place: '/nb/cell, cell 2, line 2',
    nextStep: 'Correct the code there',
  }),
  notebookFault('/nb/syntax', ['x = 1', 'def broken(:\n    pass'], {
    name: 'a cell has a syntax error',
    code: 'USER_CODE',
    cause: 'SyntaxError',
    place: '/nb/syntax, cell 2',
    nextStep: 'Correct the syntax there',
  }),
  notebookFault('/nb/module', ['import no_such_module_xyz'], {
    name: 'a cell imports a missing module',
    code: 'DEPENDENCY',
    cause: "ModuleNotFoundError: No module named 'no_such_module_xyz'",
    place: '/nb/module, cell 1',
    nextStep: 'or run %pip install no_such_module_xyz in the first cell',
  }),
  {
    name: 'the notebook does not exist',
    code: 'CONFIGURATION',
    cause: 'Notebook /nb/none was not found',
    place: '/nb/none',
    nextStep: 'Import it with POST /api/2.0/workspace/import and start the run again.',
    job: notebook('/nb/none'),
  },
  notebookFault('/nb/widget', ["print(dbutils.widgets.get('day'))"], {
    name: 'a parameter of a notebook is missing',
    code: 'CONFIGURATION',
    cause: 'No widget or run parameter is named "day"',
    place: '/nb/widget, cell 1',
    nextStep:
      'Pass the parameter in base_parameters or notebook_params, or declare it: dbutils.widgets.text("day", ""); then start the run again.',
  }),
  notebookFault('/nb/caller', ['x = 1', '%run ./shared/missing'], {
    name: '%run names a missing notebook',
    code: 'CONFIGURATION',
    cause: '%run ./shared/missing: The notebook /nb/shared/missing was not found',
    place: '/nb/caller, cell 2',
    nextStep: 'Import that notebook or correct the path',
  }),
  notebookFault('/nb/outer', ["dbutils.notebook.run('/nb/inner', 60)"], {
    name: 'a notebook that another one runs fails',
    code: 'CHILD_RUN',
    cause:
      "WorkflowError: Run <n> of notebook /nb/inner ended as FAILED in cell 2, line 1: KeyError: 'region'. Open run <n>:",
    place: '/nb/outer, cell 1',
    nextStep: 'Correct what failed in run <n>',
    files: { '/nb/outer': ["dbutils.notebook.run('/nb/inner', 60)"], '/nb/inner': ['x = {}', "x['region']"] },
  }),
  notebookFault('/nb/exit', ['x = 1', 'import os\nprint("bye", flush=True)\nos._exit(5)'], {
    name: 'code of a cell ends the process',
    code: 'USER_CODE',
    cause: 'The notebook process ended with exit code 5 while cell 2 was running',
    place: '/nb/exit, cell 2',
    nextStep: 'The program chose this code itself',
  }),
  notebookFault('/nb/kill', ['import os, signal\nos.kill(os.getpid(), signal.SIGKILL)'], {
    name: 'something kills the process of a notebook',
    code: 'CLUSTER',
    cause: 'killed by signal 9, SIGKILL',
    place: '/nb/kill, cell 1',
    nextStep: 'Runyard did not send the signal',
  }),
  notebookFault('/nb/large', ["print('x' * (9 * 2 ** 20))"], {
    name: 'a cell writes 9 MB',
    code: 'RESOURCE_LIMIT',
    cause: 'Cell 1 exceeded the output limit of 8 MB',
    place: '/nb/large, cell 1',
    nextStep: 'Write less output in that cell, or write it to a file',
  }),
  {
    name: 'a task value was never set',
    code: 'CONFIGURATION',
    cause: 'Task "first" has not set "rows"',
    place: '/nb/values, cell 1',
    nextStep: 'Set the value in that task, or pass a default, and repair the run.',
    files: {
      '/nb/first': ['x = 1'],
      '/nb/values': ["dbutils.jobs.taskValues.get('first', 'rows', debugValue=None)"],
    },
    job: {
      format: 'MULTI_TASK',
      tasks: [task('first', notebook('/nb/first')), task('second', notebook('/nb/values'), ['first'])],
    },
  },
  {
    name: 'a reference has no value',
    code: 'CONFIGURATION',
    cause: 'task first has not set "rows"; no values were set',
    place: 'second',
    nextStep: 'Correct the reference, or set the value in the task that it names',
    files: { '/nb/plain': ['x = 1'] },
    job: {
      format: 'MULTI_TASK',
      tasks: [
        task('first', notebook('/nb/plain')),
        task(
          'second',
          {
            ...cluster,
            notebook_task: {
              notebook_path: '/nb/plain',
              base_parameters: { rows: '{{tasks.first.values.rows}}' },
            },
          },
          ['first'],
        ),
      ],
    },
  },
  {
    name: 'a SQL notebook queries a missing table',
    code: 'USER_CODE',
    cause: 'no_such_table',
    place: '/nb/query, cell 1',
    nextStep: 'Correct the query there',
    files: { '/nb/query.sql': '-- Databricks notebook source\nselect * from no_such_table\n' },
    job: notebook('/nb/query'),
  },
  {
    name: 'a JavaScript notebook throws',
    code: 'USER_CODE',
    cause: 'TypeError',
    place: '/nb/script, cell 1, line 1',
    nextStep: 'Correct the code there',
    files: { '/nb/script.js': '// Databricks notebook source\nconst x = undefined; x.rows();\n' },
    job: notebook('/nb/script'),
  },
  {
    name: 'a notebook in a language that cannot run',
    code: 'CONFIGURATION',
    cause: 'Scala notebook, which is not supported',
    place: '/nb/other',
    nextStep: 'Correct the task',
    files: { '/nb/other.scala': '// Databricks notebook source\nprintln(1)\n' },
    job: notebook('/nb/other'),
  },
  {
    name: 'a pipeline reads files that do not exist',
    code: 'CONFIGURATION',
    cause: 'Flow t: no file matches managed_fs:/no_such_source/*.csv, which t reads',
    place: '/flow/broken/tables.sql',
    nextStep: 'Upload one with POST /api/2.0/managed_fs/put.',
    files: {
      '/flow/broken/tables.sql':
        "CREATE MATERIALIZED VIEW t AS SELECT * FROM read_files('managed_fs:/no_such_source/*.csv');\n",
      'pipeline:broken': '/flow/broken/**',
    },
    job: { pipeline_task: { pipeline_id: 'broken' } },
  },
  {
    name: 'a pipeline queries a missing table',
    code: 'USER_CODE',
    cause: 'no_such_table',
    place: '/flow/query/tables.sql, line 1',
    nextStep: 'Correct the query or its input',
    files: {
      '/flow/query/tables.sql': 'CREATE MATERIALIZED VIEW t AS SELECT * FROM no_such_table;\n',
      'pipeline:query': '/flow/query/**',
    },
    job: { pipeline_task: { pipeline_id: 'query' } },
  },
  {
    name: 'the input of a pipeline has a value of another type',
    code: 'DATA_QUALITY',
    cause: 'Conversion Error',
    place: '/flow/types/tables.sql',
    nextStep: 'Correct the input files, or the types in the query',
    files: {
      '/types/a.csv': 'amount\nnone\n',
      '/flow/types/tables.sql':
        "CREATE MATERIALIZED VIEW t AS SELECT CAST(amount AS INT) AS amount FROM read_files('managed_fs:/types/*.csv');\n",
      'pipeline:types': '/flow/types/**',
    },
    job: { pipeline_task: { pipeline_id: 'types' } },
  },
  {
    name: 'rows violate an expectation that fails the update',
    code: 'DATA_QUALITY',
    cause: '1 of 2 rows do not meet the expectation positive (amount > 0)',
    place: '/flow/quality/tables.sql',
    nextStep:
      'WHERE NOT (amount > 0). Correct the input, or change ON VIOLATION in /flow/quality/tables.sql.',
    files: {
      '/flow/quality/tables.sql':
        'CREATE MATERIALIZED VIEW paid (CONSTRAINT positive EXPECT (amount > 0) ON VIOLATION FAIL UPDATE) AS SELECT unnest([1, -1]) AS amount;\n',
      'pipeline:quality': '/flow/quality/**',
    },
    job: { pipeline_task: { pipeline_id: 'quality' } },
  },
  {
    name: 'the pipeline does not exist',
    code: 'CONFIGURATION',
    cause: 'no-such-pipeline',
    place: 'no-such-pipeline',
    nextStep: 'Correct pipeline_task.pipeline_id',
    job: { pipeline_task: { pipeline_id: 'no-such-pipeline' } },
  },
];
