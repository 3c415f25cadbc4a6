/** A state: a word, a sign and a colour. The word alone says everything. */
import type { RunState } from '../api/documents.ts';
import { codeOf, standingOf, type Tone } from '../states.ts';

const signs: Readonly<Record<Tone, string>> = { good: '✓', bad: '✕', busy: '▸', quiet: '–' };

export function StateBadge({ state }: { readonly state: RunState }) {
  const { words, tone } = standingOf(state);
  return (
    <span className={`badge ${tone}`} title={codeOf(state)}>
      <span aria-hidden="true">{signs[tone]}</span> {words}
    </span>
  );
}
