/** Which fields and environment variables hold secrets, as far as their names tell. */

const secretName = /(?:token|secret|passw(?:or)?d|passphrase|credentials?|api_?key|_key)$/i;

/** Whether a name says that its value is a secret: `DB_PASSWORD`, `api_key`, `GITHUB_TOKEN` and the like. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}
