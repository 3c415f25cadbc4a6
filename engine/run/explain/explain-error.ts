/** Explains uncaught errors of programs by rules on their text. */
import type { CauseCode, Evidence } from './explanation.ts';
import type { Failure, FailureContext } from './failure.ts';

/** What a rule adds to the facts of an error. */
export interface Cause {
  readonly code: CauseCode;
  readonly nextStep: string;
  /** Replaces the text of the error. */
  readonly cause?: string;
  readonly evidence?: Evidence;
}

type ErrorFailure = Extract<Failure, { kind: 'error' }>;

interface ErrorRule {
  readonly pattern: RegExp;
  readonly explain: (match: RegExpExecArray, context: FailureContext, failure: ErrorFailure) => Cause;
}

/** How the work is done again after a correction. */
export function rerunText({ isMultiTask }: Pick<FailureContext, 'isMultiTask'>): string {
  return isMultiTask ? 'repair the run' : 'start the run again';
}

/** Formats memory as people read it. */
function formatMemory(megabytes: number): string {
  return megabytes >= 1_024 && megabytes % 512 === 0 ? `${megabytes / 1_024} GB` : `${megabytes} MB`;
}

/** Sentence with the memory limit of a process; '' when no limit is known. */
export function memoryLimitText({ memoryMb, nodeTypeId }: FailureContext): string {
  if (memoryMb === undefined) return '';
  const source = nodeTypeId === undefined ? '' : ` (node type ${nodeTypeId})`;
  return `A process of this task may use ${formatMemory(memoryMb)}${source}.`;
}

/** Next step after too much memory was used. */
export function moreMemoryText(context: FailureContext): string {
  const { largerNodeType } = context;
  const larger =
    largerNodeType === undefined
      ? 'Give the task more memory'
      : `Choose a larger node_type_id, for example ${largerNodeType}`;
  return [memoryLimitText(context), `${larger}, or load less data at once.`].filter(Boolean).join(' ');
}

const memoryEvidence = (context: FailureContext): Evidence => {
  const limit = memoryLimitText(context);
  return limit === '' ? {} : { limits: [limit] };
};

/** Names of modules whose packages have other names. */
const packageOfModule: Readonly<Record<string, string>> = {
  yaml: 'pyyaml',
  sklearn: 'scikit-learn',
  cv2: 'opencv-python',
  PIL: 'pillow',
  bs4: 'beautifulsoup4',
  dateutil: 'python-dateutil',
};

const rules: readonly ErrorRule[] = [
  {
    pattern: /^ModuleNotFoundError: No module named '([\w.]+)'/,
    explain: ([, module = ''], context) => {
      const [top = ''] = module.split('.');
      const install = `{"pypi": {"package": "${packageOfModule[top] ?? top}"}}`;
      const inNotebook =
        context.taskKind === 'notebook_task'
          ? `, or run %pip install ${packageOfModule[top] ?? top} in the first cell`
          : '';
      return {
        code: 'DEPENDENCY',
        nextStep: `Add it to the libraries of the task (${install})${inNotebook}, and ${rerunText(context)}.`,
      };
    },
  },
  {
    pattern: /^MemoryError\b|_ArrayMemoryError/,
    explain: (_match, context) => ({
      code: 'RESOURCE_LIMIT',
      nextStep: moreMemoryText(context),
      evidence: memoryEvidence(context),
    }),
  },
  {
    pattern:
      /OutOfMemoryError|Could not reserve enough space|insufficient memory|RangeError: Array buffer allocation failed/,
    explain: (_match, context) => ({
      code: 'RESOURCE_LIMIT',
      nextStep: `${moreMemoryText(context)} The heap of Java is set by -Xmx in JAVA_TOOL_OPTIONS of spark_env_vars, or by --driver-memory of spark-submit.`,
      evidence: memoryEvidence(context),
    }),
  },
  {
    pattern:
      /Could not find or load main class ([\w.$]+)|^(?:java\.lang\.)?(?:ClassNotFoundException|NoClassDefFoundError): ([\w.$/]+)/,
    explain: ([, main, missing], context, { searched = [] }) => {
      const name = main ?? missing ?? '';
      const where = searched.length === 0 ? 'on the class path' : `in none of: ${searched.join(', ')}`;
      const field = context.taskKind === 'spark_submit_task' ? '--class' : 'main_class_name';
      return {
        code: 'DEPENDENCY',
        cause: `Class ${name} is ${searched.length === 0 ? `not ${where}` : where}`,
        nextStep: `Correct ${main === undefined ? 'the class' : field}, or add the JAR to the libraries of the task.`,
      };
    },
  },
  {
    // The Java process of a driver that a Python program started itself is gone.
    pattern: /^py4j\.protocol\.Py4JNetworkError.*/,
    explain: ([text], context) => ({
      code: 'CLUSTER',
      cause: `The Spark driver of the task is gone (${text})`,
      nextStep: `Read the end of its log: a driver that was killed, for example for lack of memory, says nothing there. ${moreMemoryText(context)} Then ${rerunText(context)}.`,
    }),
  },
  {
    pattern: /UnsupportedClassVersionError/,
    explain: (_match, context) => ({
      code: 'CLUSTER',
      nextStep: `Build the JAR for the Java of this machine, or install a newer Java, and ${rerunText(context)}.`,
    }),
  },
  {
    pattern: /Main method not found in class|must have public static void main/,
    explain: (_match, context) => ({
      code: 'USER_CODE',
      nextStep: `Add the method, or name another class in main_class_name, and ${rerunText(context)}.`,
    }),
  },
  {
    pattern: /No space left on device|\bENOSPC\b|disk full/i,
    explain: (_match, { fullDisk, isMultiTask }) => ({
      code: 'STORAGE',
      nextStep:
        fullDisk === undefined
          ? `Free space on the disk that the task writes to, then ${rerunText({ isMultiTask })}.`
          : `The disk of ${fullDisk} is full. Free space, then repair the run.`,
    }),
  },
  {
    pattern: /^(?:NotebookNotFound: )?%run .* not found|^NotebookNotFound: /,
    explain: (_match, context) => ({
      code: 'CONFIGURATION',
      nextStep: `Import that notebook or correct the path, and ${rerunText(context)}.`,
    }),
  },
  {
    pattern: /^(?:[\w.]+\.)?WorkflowError: ((?:Run (\d+) of )?.*)/s,
    explain: ([, text = '', childRunId], context) => ({
      code: 'CHILD_RUN',
      cause: `WorkflowError: ${text}`,
      nextStep:
        childRunId === undefined
          ? `Correct the call or the notebook that it names, and ${rerunText(context)}.`
          : `Correct what failed in run ${childRunId}, and ${rerunText(context)}.`,
      ...(childRunId !== undefined && { evidence: { child_run_id: Number(childRunId) } }),
    }),
  },
  {
    pattern: /Task "[^"]*" has not set "|is not upstream of this task|task value "/,
    explain: (_match, context, { error }) => ({
      code: 'CONFIGURATION',
      cause: error.replace(/\. Set it there, or pass a default\.?$/, ''),
      nextStep: `Set the value in that task, or pass a default, and ${rerunText(context)}.`,
    }),
  },
  {
    pattern:
      /^(.*No widget or run parameter is named .*?)\. Pass the parameter to the run, or declare it: (.*?)\.?$/s,
    explain: ([, cause = '', declaration = ''], context) => ({
      code: 'CONFIGURATION',
      cause,
      nextStep: `Pass the parameter in base_parameters or notebook_params, or declare it: ${declaration}; then ${rerunText(context)}.`,
    }),
  },
  {
    pattern: /exceeded the output limit/,
    explain: (_match, context) => ({
      code: 'RESOURCE_LIMIT',
      nextStep: `Write less output in that cell, or write it to a file, and ${rerunText(context)}.`,
    }),
  },
  {
    pattern: /No widget or run parameter is named|of widget "/,
    explain: () => ({
      code: 'CONFIGURATION',
      nextStep: 'Correct the parameter in base_parameters or notebook_params, or the choices of the widget.',
    }),
  },
  {
    pattern: /do not meet the expectation (\S+) \((.*?)\), which fails the update/s,
    explain: ([, , condition = ''], context, { rowsQuery, at }) => {
      const query = toSingleLine(rowsQuery) ?? `SELECT * FROM <query of the flow> WHERE NOT (${condition})`;
      const file = at?.file ?? context.file;
      return {
        code: 'DATA_QUALITY',
        nextStep: `Look at the rows: ${query}. Correct the input, or change ON VIOLATION${file === undefined ? '' : ` in ${file}`}.`,
        evidence: { query },
      };
    },
  },
  {
    pattern: /^(?:Catalog|Binder|Parser) Error: /,
    explain: (_match, context) => ({
      code: 'USER_CODE',
      nextStep: `Correct the query there and ${rerunText(context)}.`,
    }),
  },
  {
    pattern: /^(?:SyntaxError|IndentationError|TabError): /,
    explain: (_match, context) => ({
      code: 'USER_CODE',
      nextStep: `Correct the syntax there and ${rerunText(context)}.`,
    }),
  },
  {
    pattern: /^FileNotFoundError: |NoSuchFileException|ENOENT/,
    explain: (_match, context) => ({
      code: 'USER_CODE',
      nextStep: `Check that the file exists and that the code names its full path, then ${rerunText(context)}.`,
    }),
  },
  {
    pattern: /^(?:PermissionError: |java\.nio\.file\.AccessDeniedException)/,
    explain: (_match, context) => ({
      code: 'USER_CODE',
      nextStep: `Give the user of tasks the permission, or use another path, then ${rerunText(context)}.`,
    }),
  },
  {
    pattern:
      /ConnectionRefusedError|ConnectionError|ConnectException|Name or service not known|Temporary failure in name resolution|ECONNREFUSED|ENOTFOUND/,
    explain: (_match, context) => ({
      code: 'USER_CODE',
      nextStep: `Check the address and that the other service runs, then ${rerunText(context)}; max_retries repeats a failed attempt automatically.`,
    }),
  },
];

/** Puts a query on one line, unless that could change it. */
function toSingleLine(query: string | undefined): string | undefined {
  return query === undefined || /--|'[^']*\n[^']*'/.test(query) ? query : query.replaceAll(/\s*\n\s*/g, ' ');
}

/** Explains an error by the rule that matches; undefined without one. */
export function findErrorCause(failure: ErrorFailure, context: FailureContext): Cause | undefined {
  for (const { pattern, explain } of rules) {
    const match = pattern.exec(failure.error);
    if (match !== null) return explain(match, context, failure);
  }
  return undefined;
}

/** Explains an uncaught error. An error without a rule is one of the user's code. */
export function explainError(failure: ErrorFailure, context: FailureContext): Cause {
  return (
    findErrorCause(failure, context) ?? {
      code: 'USER_CODE',
      nextStep: `Correct the code there and ${rerunText(context)}.`,
    }
  );
}
