/** Task kind `shell_script_task`: runs a shell script with run-script.sh, the program beside this file. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./run-script.sh', import.meta.url));

/** @type {import('../../../runners/contract.ts').RunnerPlugin<any>} */
export const plugin = {
  contract: 1,
  kind: 'shell_script_task',
  needsCluster: true,
  schema: {
    type: 'object',
    description: 'Runs a shell script; the content of the file $RESULT is the result.',
    required: ['script'],
    additionalProperties: false,
    properties: {
      script: { type: 'string', minLength: 1, description: 'Text of the script.' },
      parameters: { type: 'array', items: { type: 'string' }, description: 'Arguments of the script.' },
    },
  },

  async run(task, context) {
    const script = join(context.directory, 'script.sh');
    const result = join(context.directory, 'result');
    await writeFile(script, task.script);
    // The first call starts the process. After a restart of the engine, the call waits for the same process.
    const exit = await context.exec({
      argv: ['/bin/sh', program, script, ...(task.parameters ?? [])],
      env: { RESULT: result },
    });
    switch (exit.kind) {
      case 'stopped':
        return { kind: 'stopped' };
      case 'lost':
        return { kind: 'lost', message: exit.message };
      case 'flooded':
        return { kind: 'failed', message: exit.message };
      default:
        break;
    }
    if (exit.code !== 0) {
      const message = `The script ended with exit code ${exit.code}.`;
      await context.writeOutput({ error: message });
      return { kind: 'failed', message };
    }
    await context.writeOutput({ result: await readFile(result, 'utf8').catch(() => '') });
    return { kind: 'succeeded' };
  },
};
