/** Names and values, side by side where there is room. */
import type { ReactNode } from 'react';

/** A fact without a value is left out. */
export type DescriptionItem = readonly [name: string, value: ReactNode];

export function DescriptionList({ facts }: { readonly facts: readonly DescriptionItem[] }) {
  const shown = facts.filter(([, value]) => value !== undefined && value !== null && value !== '');
  return (
    <dl className="facts">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
