/** The console imports no engine code: its tables of task kinds are compared with the task-kind table. */
import { describe, expect, test } from 'vitest';
import { listParameterFields } from '../../../console/src/job/run-parameters.ts';
import { taskSummaryOf } from '../../../console/src/job/task-summary.ts';
import { taskKinds, taskKindTable } from '../../../engine/job/task-kinds.ts';

describe.each(taskKinds)('console: %s', (kind) => {
  const { label, runParameters, targetField } = taskKindTable[kind];
  const task = { task_key: 'a', [kind]: { [targetField]: 'x' } };

  test('has the label and the target field of the task-kind table', () => {
    expect(taskSummaryOf(task)).toMatchObject({ kind, kindLabel: label, target: 'x' });
  });

  test('offers the parameter field of the task-kind table', () => {
    expect(listParameterFields([task])).toEqual(
      // Fields of a body, such as full_refresh of a pipeline, are no text of the dialog.
      runParameters === undefined || runParameters.mode === 'body'
        ? []
        : [{ field: runParameters.field, label: expect.any(String), isMap: runParameters.mode === 'merge' }],
    );
  });
});
