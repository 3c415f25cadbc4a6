/** The steps that a life can take, for tests that take random ones. */
import type { StepEvent } from '../../../../engine/run/step.ts';
import type { LifeCycleState } from '../../../../engine/run/states.ts';
import { transitions } from '../../../../engine/run/transitions.ts';

/** What can happen in a state and where it leads. A repair is no step: it opens a life that is over. */
export function allowedStepsFrom(
  state: LifeCycleState,
): readonly { readonly on: StepEvent; readonly to: LifeCycleState }[] {
  return transitions.flatMap((row) => (row.from === state && row.on !== 'repair' ? [row] : []));
}
