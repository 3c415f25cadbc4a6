/** Rule that explains a failure by its sentence. */
import { rerunText } from './explain-error.ts';
import type { CauseCode } from './explanation.ts';
import type { FailureContext } from './failure.ts';

export interface MessageRule {
  readonly pattern: RegExp;
  readonly code: CauseCode;
  /** '' when the sentence has the next step already. */
  readonly nextStep: string | ((context: FailureContext, match: RegExpExecArray) => string);
}

/** Returns a next step that ends with the request to run the work again. */
export const again = (text: string) => (context: FailureContext) => `${text}, and ${rerunText(context)}.`;
