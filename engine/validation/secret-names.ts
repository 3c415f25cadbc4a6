/** Detection of secrets by the names of fields and environment variables. */

const secretName = /(?:token|secret|passw(?:or)?d|passphrase|credentials?|api_?key|_key)$/i;

/** Tells whether a name denotes a secret, such as `DB_PASSWORD`, `api_key` or `GITHUB_TOKEN`. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}
