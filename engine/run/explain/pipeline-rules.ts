/** Rules for the sentences of pipeline updates: most of them are not about code. */
import { rerunText } from './explain-error.ts';
import { again, type MessageRule } from './message-rule.ts';

export const pipelineRules: readonly MessageRule[] = [
  {
    pattern: /which the configuration of the pipeline does not have/,
    code: 'CONFIGURATION',
    nextStep: again('Add the name to the configuration of the pipeline, or correct it there'),
  },
  {
    pattern: /full refresh|refresh \S+ fully/,
    code: 'CONFIGURATION',
    nextStep: (context) =>
      `Set full_refresh in pipeline_task or in pipeline_params, and ${rerunText(context)}; a full refresh computes the tables anew from their input.`,
  },
  {
    pattern: /full_refresh|^The selection names|is not selected/,
    code: 'CONFIGURATION',
    nextStep: again('Correct full_refresh_selection and refresh_selection of pipeline_task'),
  },
  { pattern: /no file (?:matches|exists yet)/, code: 'CONFIGURATION', nextStep: '' },
  {
    pattern: /changed while it was read|cannot be converted without loss/,
    code: 'DATA_QUALITY',
    nextStep: '',
  },
  {
    pattern: /Conversion Error|Invalid Input Error|CSV Error/,
    code: 'DATA_QUALITY',
    nextStep: again('Correct the input files, or the types in the query'),
  },
  {
    pattern: /has the active update|was published by another update/,
    code: 'CONCURRENCY',
    nextStep: ({ isMultiTask }) =>
      `Wait until the other update has ended, then ${rerunText({ isMultiTask })}.`,
  },
  { pattern: /contains the tables of another pipeline/, code: 'CONFIGURATION', nextStep: '' },
  {
    pattern: /^The spec file \S+ of pipeline .* does not exist/,
    code: 'CONFIGURATION',
    nextStep: again('Import the file again, or correct pipeline_task.pipeline_id'),
  },
  {
    pattern: /^The manifest of version/,
    code: 'STORAGE',
    nextStep: again('Restore the file from a backup, or remove the storage of the pipeline'),
  },
  {
    pattern: /^The plan of this update is missing/,
    code: 'INTERNAL',
    nextStep: ({ isMultiTask }) => `${isMultiTask ? 'Repair the run' : 'Start the run again'}.`,
  },
  {
    pattern: /Out of Memory|out of memory|could not allocate/i,
    code: 'RESOURCE_LIMIT',
    nextStep: again(
      'Read less data in one flow, or raise pipelineMegabytes in RUNYARD_LIMITS up to its default',
    ),
  },
];
