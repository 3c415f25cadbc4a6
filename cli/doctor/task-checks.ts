/** What the doctor says about tasks: the plugins that bring kinds of them, and what keeps them apart. */
import { access, constants } from 'node:fs/promises';
import { messageOf } from '../../engine/errors.ts';
import { findInterpreter } from '../../runners/process/task-environment.ts';
import { loadPlugins } from '../../runners/plugin/load-plugins.ts';
import type { Config } from '../config.ts';
import type { CheckResult } from './check-result.ts';
import { findSandbox, resolveTaskUser } from '../wiring/isolation.ts';

/** A plugin that stops the start is broken. */
export async function checkPlugins({ plugins, taskEnvironment }: Config): Promise<CheckResult> {
  if (plugins.length === 0) return { state: 'ok', found: 'none' };
  const kinds = await loadPlugins(plugins, taskEnvironment);
  return {
    state: 'ok',
    found: kinds.map(({ name }, index) => `${name} (${plugins[index]?.specifier})`).join(', '),
  };
}

/** Whom tasks run as. */
export async function checkTaskUser(config: Config): Promise<CheckResult> {
  const user = await resolveTaskUser(config);
  if (user !== undefined) return { state: 'ok', found: `tasks run as ${user.name} (${user.uid})` };
  if (config.taskSandbox !== 'none') return { state: 'ok', found: 'that of the service, in the sandbox' };
  const self = process.getuid?.() === 0 ? 'root' : 'the user of the service';
  return {
    state: 'poor',
    found: `tasks run as ${self}`,
    advice: 'They can read what the service can: see RUNYARD_TASK_USER and RUNYARD_TASK_SANDBOX.',
  };
}

/** What tasks are shut into. */
export async function checkSandbox(config: Config): Promise<CheckResult> {
  const user = await resolveTaskUser(config);
  const usable = await findSandbox(user).then(
    (program) => ({ program }),
    (error: unknown) => ({ why: messageOf(error).trim().split('\n').at(-1) ?? '' }),
  );
  if (config.taskSandbox === 'none')
    return {
      state: 'ok',
      found: `none; bubblewrap ${'program' in usable ? 'could be used' : `cannot be used (${usable.why})`}`,
    };
  if ('program' in usable) return { state: 'ok', found: `bubblewrap at ${usable.program}` };
  return {
    state: 'broken',
    found: usable.why,
    advice: 'RUNYARD_TASK_SANDBOX asks for bubblewrap: install it, or allow user namespaces.',
  };
}

/** What processes of tasks may use. */
export function checkTaskLimits({ taskLimits }: Config): Promise<CheckResult> {
  const set = Object.entries(taskLimits).map(([name, value]) => `${name} ${value}`);
  return Promise.resolve({ state: 'ok', found: ['memory and files of known node types', ...set].join(', ') });
}

/** Submit tasks run without Spark too. */
export async function checkSpark({ taskEnvironment }: Config): Promise<CheckResult> {
  const home = taskEnvironment['SPARK_HOME'] ?? '';
  const inHome = `${home}/bin/spark-submit`;
  const launcher =
    home !== '' &&
    (await access(inHome, constants.X_OK).then(
      () => true,
      () => false,
    ))
      ? inHome
      : await findInterpreter('spark-submit', taskEnvironment);
  if (launcher !== undefined) return { state: 'ok', found: `spark-submit at ${launcher}` };
  return {
    state: 'missing',
    found: 'neither SPARK_HOME nor spark-submit in PATH',
    advice: 'Submit tasks are run by a built-in launcher, which is not Spark.',
  };
}
