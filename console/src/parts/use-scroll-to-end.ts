/** Keeps a growing text scrolled to its end, unless the user has scrolled up. */
import { useLayoutEffect, useRef, type RefObject, type UIEvent } from 'react';

/** Properties for the element with the text. */
interface ScrollToEndProps {
  readonly ref: RefObject<HTMLPreElement | null>;
  readonly onScroll: (event: UIEvent<HTMLPreElement>) => void;
}

/** Maximum distance to the end that counts as the end, pixels. */
const endTolerancePixels = 8;

export function useScrollToEnd(): ScrollToEndProps {
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && atEnd.current) element.scrollTop = element.scrollHeight;
  });
  return {
    ref: box,
    onScroll: ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
      atEnd.current = scrollHeight - scrollTop - clientHeight < endTolerancePixels;
    },
  };
}
