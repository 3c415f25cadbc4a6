/** Syntax of e-mail addresses. */
import { fixedLimits } from '../limits.ts';

/**
 * Tells whether a text is a single mailbox address. Excludes characters that could inject headers or lists.
 */
export function isEmailAddress(address: string): boolean {
  return (
    address.length <= fixedLimits.emailAddressCharacters &&
    /^[!#$%&'*+/=?^_`{|}~.\w-]{1,64}@[A-Za-z\d](?:[A-Za-z\d.-]*[A-Za-z\d])?$/.test(address)
  );
}
