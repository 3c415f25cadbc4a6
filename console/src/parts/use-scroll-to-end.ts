/** A box of text that grows: whoever reads its end sees what comes, whoever has scrolled up is left alone. */
import { useLayoutEffect, useRef, type RefObject, type UIEvent } from 'react';

/** What the box needs as its properties. */
interface ScrollToEndProps {
  readonly ref: RefObject<HTMLPreElement | null>;
  readonly onScroll: (event: UIEvent<HTMLPreElement>) => void;
}

/** Nearer to the end than this (pixels) counts as there. */
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
