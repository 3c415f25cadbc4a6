/** `runyard explain`: prints why a run failed, where, and what to do. */
import { Type } from 'typebox';
import { ExplanationSchema } from '../../engine/run/explain/explanation.ts';
import { renderExplanation } from '../../engine/run/explain/render-explanation.ts';
import { sanitizeTerminalText } from './sanitize-terminal-text.ts';
import { printLine } from './print-line.ts';
import { callService } from './service-client.ts';

const RunAnswer = Type.Object({
  run_id: Type.Integer(),
  run_name: Type.String(),
  format: Type.String(),
  state: Type.Object({
    life_cycle_state: Type.String(),
    result_state: Type.Optional(Type.String()),
    state_message: Type.String(),
  }),
  explanation: Type.Optional(ExplanationSchema),
  tasks: Type.Optional(Type.Array(Type.Object({ run_id: Type.Integer(), task_key: Type.String() }))),
});

/** Prints the explanation of a run and the commands to go on. Resolves with the exit code. @throws CommandError */
export async function explainRun(runId: number): Promise<number> {
  const run = await callService(RunAnswer, 'GET', `/jobs/runs/get?run_id=${runId}`, { version: '2.1' });
  const { state, explanation, run_name: name } = run;
  const end = state.result_state ?? state.life_cycle_state;
  const subject = `Run ${runId} of ${name}: ${end}`;
  if (explanation === undefined) {
    printLine(sanitizeTerminalText(subject, false));
    const text = end === 'SUCCESS' ? 'The run succeeded; there is nothing to explain.' : state.state_message;
    printLine(sanitizeTerminalText(text === '' ? 'The run has not ended.' : text, false));
    return 0;
  }
  for (const line of renderExplanation(subject, explanation)) printLine(sanitizeTerminalText(line, false));
  printLine('');
  printLine('Go on with:');
  for (const line of commandsOf(runId, explanation.place.run_id, (run.tasks ?? []).length > 1))
    printLine(line);
  return 0;
}

function commandsOf(runId: number, taskRunId: number | undefined, isRepairable: boolean): string[] {
  return [
    `  runyard logs ${taskRunId ?? runId}`,
    ...(isRepairable ? [`  runyard runs repair ${runId}`] : []),
    `  runyard bundle ${runId}`,
  ];
}
