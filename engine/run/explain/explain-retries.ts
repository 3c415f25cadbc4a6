/** Adds the count of the attempts to the explanation of the last one. */
import type { Explained } from './explanation.ts';

/** Returns `Failed after 4 attempts (max_retries 3)`; undefined for a first attempt. */
export function retriesText(attempts: number, maxRetries: number): string | undefined {
  if (attempts < 2) return undefined;
  return `Failed after ${attempts} attempts (max_retries ${maxRetries})`;
}

/** Adds the number of attempts to an explanation and its message, once. */
export function withRetries(explained: Explained, text: string | undefined): Explained {
  const { explanation, message } = explained;
  if (text === undefined || explanation.retries !== undefined) return explained;
  return {
    explanation: { ...explanation, retries: text },
    // Before the next step, which stays last.
    message: message.endsWith(explanation.next_step)
      ? `${message.slice(0, message.length - explanation.next_step.length)}${text}. ${explanation.next_step}`
      : `${message} ${text}.`,
  };
}
