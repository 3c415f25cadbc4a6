/** List of names and values, in columns on a wide screen. */
import type { ReactNode } from 'react';

/** An item without a value is not shown. */
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
