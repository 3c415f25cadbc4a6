/** Instants and lengths of time on the page. */
import { useEffect, useState } from 'react';
import { isoInstant, now } from '../clock.ts';
import { duration, instant } from '../times.ts';

/**
 * An instant, with UTC where the mouse rests. @param at epoch milliseconds; 0: there is none @param over it
 * will never come
 */
export function Instant({ at, over = false }: { readonly at: number; readonly over?: boolean }) {
  if (at === 0) return <span className="none">{over ? 'never' : 'not yet'}</span>;
  return (
    <time dateTime={isoInstant(at)} title={isoInstant(at)}>
      {instant(at)}
    </time>
  );
}

/** The time from one instant to another, or to now while there is no other. Nothing when it has not begun. */
export function Elapsed({ from, to }: { readonly from: number; readonly to: number }) {
  if (from === 0) return <span className="none">–</span>;
  return <span className="time">{to === 0 ? <RunningFor from={from} /> : duration(to - from)}</span>;
}

function RunningFor({ from }: { readonly from: number }) {
  const [moment, setMoment] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setMoment(now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return duration(moment - from);
}
