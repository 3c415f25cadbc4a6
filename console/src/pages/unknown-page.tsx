/** Page for unknown addresses. */
import { useTitle } from '../parts/use-title.ts';
import { linkTo } from '../route.ts';

export function UnknownPage({ address }: { readonly address: string }) {
  useTitle('Unknown page');
  return (
    <>
      <h1>Page not found</h1>
      <p>
        There is no page at <code>{address}</code>. Links to runs look like <code>#job/7/run/12</code>; this
        link may be incomplete.
      </p>
      <p>
        <a href={linkTo.runs({ state: 'all' })}>All runs</a>
      </p>
    </>
  );
}
