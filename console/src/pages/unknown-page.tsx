/** An address that no page has. */
import { useTitle } from '../parts/use-title.ts';
import { linkTo } from '../route.ts';

export function UnknownPage({ address }: { readonly address: string }) {
  useTitle('Unknown page');
  return (
    <>
      <h1>There is no such page</h1>
      <p>
        Nothing is at <code>{address}</code>. Links to runs look like <code>#job/7/run/12</code>; perhaps a
        part of this one was lost on its way.
      </p>
      <p>
        <a href={linkTo.runs({ state: 'all' })}>All runs</a>
      </p>
    </>
  );
}
