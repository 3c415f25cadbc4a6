/** Detection of input files that change during or after an update. */
import { invalid } from '../../engine/errors.ts';
import type { EventLog } from './event-log.ts';
import { fingerprintOf, type InputFile } from './input-files.ts';
import type { UpdateContext } from './update-context.ts';
import type { Version } from './versions.ts';

/** Warns about input files that changed after they were read; a table reads a file only once. */
export function warnAboutChangedInputs(
  { inputFiles }: UpdateContext,
  before: Version | undefined,
  log: EventLog,
): void {
  const now = new Map([...inputFiles.values()].flat().map(({ uri, fingerprint }) => [uri, fingerprint]));
  for (const { name, flows } of Object.values(before?.manifest.datasets ?? {})) {
    for (const { inputs: read } of Object.values(flows)) {
      const changed = Object.entries(read)
        .filter(([uri, state]) => (now.get(uri) ?? state) !== state)
        .map(([uri]) => uri);
      if (changed.length === 0) continue;
      const shown = `${changed.slice(0, 3).join(', ')}${changed.length > 3 ? ` and ${changed.length - 3} more` : ''}`;
      log.write({
        level: 'WARN',
        event_type: 'input_changed',
        dataset: name,
        message: `Files changed after ${name} read them: ${shown}. The table keeps the old rows; a full refresh reads the files again.`,
      });
    }
  }
}

/** Fails the update if an input file changed while it was read. */
export async function checkInputsUnchanged(files: readonly InputFile[]): Promise<void> {
  for (const { uri, path, fingerprint } of files) {
    if ((await fingerprintOf(path)) !== fingerprint)
      throw invalid(
        `The input file ${uri} changed while it was read. Write files atomically; the next update reads it.`,
      );
  }
}
