/** The name of a main class, as it may stand in a command line of Java. */
import { quote } from '../../engine/validation/messages.ts';
import { TaskStartError } from '../process/pinned-command.ts';

/**
 * Refuses what Java would not take for the name of a class: an option, a file of arguments (`@file`), nothing
 * at all.
 * @param field where it was given, for the message
 * @throws CannotStart
 */
export function validateMainClass(field: string, name: string): string {
  if (/^[^\s@-]\S*$/.test(name)) return name;
  throw new TaskStartError(
    `${field} is ${quote(name)}; it must be the full name of a class, such as com.example.Main.`,
  );
}
