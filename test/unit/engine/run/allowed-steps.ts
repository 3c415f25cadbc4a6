/** Steps that the transition table allows, for tests that take random ones. */
import type { StepEvent } from '../../../../engine/run/step.ts';
import type { LifeCycleState } from '../../../../engine/run/states.ts';
import { transitions } from '../../../../engine/run/transitions.ts';

/** Returns the events that a state allows and the states that follow. A repair is not a step. */
export function allowedStepsFrom(
  state: LifeCycleState,
): readonly { readonly on: StepEvent; readonly to: LifeCycleState }[] {
  return transitions.flatMap((row) =>
    row.from === state && row.on !== 'repair' && row.on !== 'queue repair' ? [row] : [],
  );
}
