/**
 * Tokens that narrow themselves to what they are used for (spec 5.7): when they are observed, reminded of and
 * enforced.
 */
import { invalid } from '../errors.ts';
import { allApisScope, type Scope } from './scopes.ts';
import { fixedLimits } from '../limits.ts';

/**
 * Where a token stands; the names are those of clients. RUNNING: observed, with all-apis in force. COMPLETED:
 * asked for it when it was made, and has its inferred scopes. BACKFILLED: the same for one that was there
 * before. USER_SELECTED: scopes were chosen by hand, for good. DISABLED: never asked for.
 */
export const autoscopeStates = ['RUNNING', 'COMPLETED', 'BACKFILLED', 'USER_SELECTED', 'DISABLED'] as const;
export type AutoscopeState = (typeof autoscopeStates)[number];

/** The shortest life of a token that can be observed (seconds). */
export const observableLifetimeSecondsMin = fixedLimits.scopeObservationMs / 1_000;

/** An observed token. Times are epoch ms. */
export interface ObservedToken {
  readonly startedTime: number;
  readonly remindedTime: number | undefined;
  /** Scopes of what it was used for, so far. */
  readonly inferredScopes: readonly string[];
}

/**
 * What is due for an observed token at `now`. A token that was used for nothing goes on being observed:
 * without any scope it would permit nothing. Nobody is surprised: the scopes apply no sooner than seven days
 * after the reminder, however late that is.
 */
export function decideAutoscope(
  { startedTime, remindedTime, inferredScopes }: ObservedToken,
  now: number,
): 'nothing' | 'remind' | 'enforce' {
  if (
    inferredScopes.length === 0 ||
    now < startedTime + fixedLimits.scopeObservationMs - fixedLimits.scopeReminderLeadMs
  )
    return 'nothing';
  if (remindedTime === undefined) return 'remind';
  return now >=
    Math.max(startedTime + fixedLimits.scopeObservationMs, remindedTime + fixedLimits.scopeReminderLeadMs)
    ? 'enforce'
    : 'nothing';
}

/** When the scopes of an observed token apply, if it is used until then (epoch ms). */
export function enforcementTimeOf({
  startedTime,
  remindedTime,
}: Pick<ObservedToken, 'startedTime' | 'remindedTime'>): number {
  return Math.max(
    startedTime + fixedLimits.scopeObservationMs,
    (remindedTime ?? 0) + fixedLimits.scopeReminderLeadMs,
  );
}

/** Whether a call of this scope teaches something about a token. */
export function isNewScope(
  token: { readonly autoscopeState: AutoscopeState; readonly inferredScopes: readonly string[] },
  scope: Scope,
): boolean {
  return token.autoscopeState === 'RUNNING' && !token.inferredScopes.includes(scope);
}

/**
 * The state of a new token.
 * @param lifetime seconds
 * @throws ServiceError when automatic scopes are asked for beside chosen ones, or for a life that is too
 *   short to observe
 */
export function initialAutoscopeState(
  asked: boolean,
  scopes: readonly string[],
  lifetime: number,
): AutoscopeState {
  const chosen = scopes.some((scope) => scope !== allApisScope);
  if (!asked) return chosen ? 'USER_SELECTED' : 'DISABLED';
  if (chosen)
    throw invalid(
      `autoscope_enabled is true beside scopes; leave one of them out: scopes are found out, or chosen.`,
    );
  if (lifetime < observableLifetimeSecondsMin) {
    throw invalid(
      `autoscope_enabled is true and lifetime_seconds is ${lifetime}; only a token of at least ${observableLifetimeSecondsMin} (30 days) is observed long enough.`,
    );
  }
  return 'RUNNING';
}
