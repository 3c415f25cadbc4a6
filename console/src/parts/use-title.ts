/** The title of the browser's tab. */
import { useEffect } from 'react';

/** @param title what the page shows; the name of the console is added */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Runyard`;
  }, [title]);
}
