/** Links to the next and the first page of a list; the browser goes back to the previous page. */

interface PagerProps {
  /** Address of the next page; undefined on the last. */
  readonly next: string | undefined;
  /** Address of the first page; undefined on it. */
  readonly first: string | undefined;
}

export function Pager({ next, first }: PagerProps) {
  if (next === undefined && first === undefined) return null;
  return (
    <nav className="pager" aria-label="Pages of the list">
      {first !== undefined && (
        <a className="button" href={first}>
          Newest
        </a>
      )}
      {next !== undefined && (
        <a className="button" href={next}>
          Older
        </a>
      )}
    </nav>
  );
}
