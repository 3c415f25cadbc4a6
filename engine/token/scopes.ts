/** The scopes of a token as a caller names them. */
import { invalid } from '../errors.ts';
import { checkCount, quote } from '../job/wording.ts';

const scopeName = /^[a-z][a-z0-9-]{0,63}$/;

/**
 * Checks a list of scopes: at least one, each once, each in the form of a name.
 * @param path where the list stands, for the refusal
 * @throws ServiceError that names the scope which is wrong
 */
export function checkScopes(path: string, scopes: readonly string[], most: number): void {
  if (scopes.length === 0) throw invalid(`${path} is empty; name at least one scope: a token without any would permit nothing.`);
  checkCount(path, scopes, most);
  for (const [index, scope] of scopes.entries()) {
    if (!scopeName.test(scope)) {
      throw invalid(`${path}[${index}] is ${quote(scope)}; a scope is 1 to 64 small letters, digits and hyphens, such as all-apis, and begins with a letter.`);
    }
  }
  const once = new Set(scopes);
  if (once.size < scopes.length) {
    const twice = scopes.findIndex((scope, index) => scopes.indexOf(scope) < index);
    throw invalid(`${path}[${twice}] is ${quote(scopes[twice])}, as an entry before it is; name each scope once.`);
  }
}
