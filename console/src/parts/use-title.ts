/** Sets the title of the tab. */
import { useEffect } from 'react';

/** @param title title of the page; the name of the console is appended */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Runyard`;
  }, [title]);
}
