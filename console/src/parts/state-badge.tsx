/** Badge of a state: label, symbol and colour. The label alone carries the meaning. */
import type { RunState } from '../api/documents.ts';
import { stateCodeOf, stateLabelOf, type Tone } from '../state-labels.ts';

const symbols: Readonly<Record<Tone, string>> = { good: '✓', bad: '✕', busy: '▸', quiet: '–' };

export function StateBadge({ state }: { readonly state: RunState }) {
  const { text, tone } = stateLabelOf(state);
  return (
    <span className={`badge ${tone}`} title={stateCodeOf(state)}>
      <span aria-hidden="true">{symbols[tone]}</span> {text}
    </span>
  );
}
