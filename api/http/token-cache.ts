/** Cache of token lookups. Under load, the lookup would be a tenth of the work of a request. */
import { fixedLimits } from '../../engine/limits.ts';
import type { Clock } from '../../engine/clock.ts';
import type { StoredToken } from '../../engine/token/token.ts';
import type { AuthPorts } from './auth.ts';

const maximumEntries = 10_000;

interface CacheEntry {
  readonly token: StoredToken;
  readonly expiresAt: number;
}

/** Adds a cache to the token lookup. Unknown tokens are not cached, so that guesses cannot fill it. */
export function cacheTokenLookups(tokens: AuthPorts['tokens'], clock: Clock): AuthPorts['tokens'] {
  const entries = new Map<string, CacheEntry>();
  let generation = 0;
  const invalidate = (): void => {
    generation += 1;
    entries.clear();
  };
  return {
    async find(hash) {
      const now = clock.now();
      const entry = entries.get(hash);
      if (entry !== undefined && now < entry.expiresAt && now >= entry.expiresAt - fixedLimits.tokenCacheMs)
        return entry.token;
      const generationAtStart = generation;
      const token = await tokens.find(hash);
      if (entries.size >= maximumEntries) entries.clear();
      // A result read before an invalidation must not be cached after it.
      if (token !== undefined && generationAtStart === generation)
        entries.set(hash, { token, expiresAt: now + fixedLimits.tokenCacheMs });
      return token;
    },
    async noteAccess(tokenId, at) {
      // Without the update, every request of this second would record the access again.
      for (const [hash, { token, expiresAt }] of entries)
        if (token.tokenId === tokenId)
          entries.set(hash, { token: { ...token, lastAccessedTime: at }, expiresAt });
      await tokens.noteAccess(tokenId, at);
    },
    async noteScope(tokenId, scope) {
      await tokens.noteScope(tokenId, scope);
      invalidate();
    },
    changed: invalidate,
  };
}
