/** Names and values, side by side where there is room. */
import type { ReactNode } from 'react';

/** A fact without a value is left out. */
export type Fact = readonly [name: string, value: ReactNode];

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
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
