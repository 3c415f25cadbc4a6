/** Auto-scoping: observation of a token, the reminder, and enforcement of the observed scopes (spec 5.7). */
import { invalid } from '../errors.ts';
import { allApisScope, type Scope } from './scopes.ts';
import { fixedLimits } from '../limits.ts';

/**
 * States of a token, named as in the interface. RUNNING: under observation, with all-apis in force.
 * COMPLETED: created with auto-scoping, inferred scopes in force. BACKFILLED: the same for a token that
 * existed before auto-scoping was enabled. USER_SELECTED: scopes chosen by the user. DISABLED: auto-scoping
 * not requested.
 */
export const autoscopeStates = ['RUNNING', 'COMPLETED', 'BACKFILLED', 'USER_SELECTED', 'DISABLED'] as const;
export type AutoscopeState = (typeof autoscopeStates)[number];

/** Minimum lifetime of an observed token, seconds. */
const observableLifetimeSecondsMin = fixedLimits.scopeObservationMs / 1_000;

/** An observed token. Times are epoch ms. */
export interface ObservedToken {
  readonly startedTime: number;
  readonly remindedTime: number | undefined;
  /** Scopes of the operations called so far. */
  readonly inferredScopes: readonly string[];
}

/**
 * Decides the next step for an observed token at `now`. An unused token stays under observation, because
 * without scopes it would permit nothing. The scopes apply at the earliest seven days after the reminder.
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

/** Returns the time when the scopes of an observed token apply if it is used until then, epoch ms. */
export function enforcementTimeOf({
  startedTime,
  remindedTime,
}: Pick<ObservedToken, 'startedTime' | 'remindedTime'>): number {
  return Math.max(
    startedTime + fixedLimits.scopeObservationMs,
    (remindedTime ?? 0) + fixedLimits.scopeReminderLeadMs,
  );
}

/** Tells whether a call with this scope adds a scope to an observed token. */
export function isNewScope(
  token: { readonly autoscopeState: AutoscopeState; readonly inferredScopes: readonly string[] },
  scope: Scope,
): boolean {
  return token.autoscopeState === 'RUNNING' && !token.inferredScopes.includes(scope);
}

/**
 * Returns the initial state of a new token.
 * @param lifetime seconds
 * @throws ServiceError when auto-scoping is requested together with scopes, or for a lifetime that is too
 *   short
 */
export function initialAutoscopeState(
  requested: boolean,
  scopes: readonly string[],
  lifetime: number,
): AutoscopeState {
  const chosen = scopes.some((scope) => scope !== allApisScope);
  if (!requested) return chosen ? 'USER_SELECTED' : 'DISABLED';
  if (chosen) throw invalid('autoscope_enabled is true and scopes are given; only one of them is allowed.');
  if (lifetime < observableLifetimeSecondsMin) {
    throw invalid(
      `autoscope_enabled is true and lifetime_seconds is ${lifetime}; auto-scoping requires at least ${observableLifetimeSecondsMin} (30 days).`,
    );
  }
  return 'RUNNING';
}
