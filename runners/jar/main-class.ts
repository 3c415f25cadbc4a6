/** Validates the name of a main class for the command line of Java. */
import { quote } from '../../engine/validation/messages.ts';
import { TaskStartError } from '../process/pinned-command.ts';

/**
 * Refuses names that Java would not take for a class: options, argument files (`@file`), empty names.
 * @param field field with the name, for the message
 * @throws TaskStartError
 */
export function validateMainClass(field: string, name: string): string {
  if (/^[^\s@-]\S*$/.test(name)) return name;
  throw new TaskStartError(
    `${field} is ${quote(name)}; it must be the full name of a class, for example com.example.Main.`,
  );
}
