/**
 * Remembers looked-up tokens for a second: under load the look-up would be a tenth of the work of a request.
 */
import type { Clock } from '../../engine/clock.ts';
import type { StoredToken } from '../../engine/token/token.ts';
import type { AuthPorts } from './auth.ts';
import { fixedLimits } from '../../engine/limits.ts';

const maximumEntries = 10_000;

interface CacheEntry {
  readonly token: StoredToken;
  readonly expiresAt: number;
}

/** The same look-up, with a memory. Unknown tokens are not remembered: guesses must not fill it. */
export function cacheTokenLookups(tokens: AuthPorts['tokens'], clock: Clock): AuthPorts['tokens'] {
  const entries = new Map<string, CacheEntry>();
  let generation = 0;
  const forget = (): void => {
    generation += 1;
    entries.clear();
  };
  return {
    async find(hash) {
      const now = clock.now();
      const entry = entries.get(hash);
      if (entry !== undefined && now < entry.expiresAt && now >= entry.expiresAt - fixedLimits.tokenCacheMs)
        return entry.token;
      const asked = generation;
      const token = await tokens.find(hash);
      if (entries.size >= maximumEntries) entries.clear();
      // What was read before a change must not be remembered after it.
      if (token !== undefined && asked === generation)
        entries.set(hash, { token, expiresAt: now + fixedLimits.tokenCacheMs });
      return token;
    },
    async noteAccess(tokenId, at) {
      // Else every request of this second would note it again.
      for (const [hash, { token, expiresAt }] of entries)
        if (token.tokenId === tokenId)
          entries.set(hash, { token: { ...token, lastAccessedTime: at }, expiresAt });
      await tokens.noteAccess(tokenId, at);
    },
    async noteScope(tokenId, scope) {
      await tokens.noteScope(tokenId, scope);
      forget();
    },
    changed: forget,
  };
}
