/** Instants and lengths of time on the page. */
import { useEffect, useState } from 'react';
import { toIsoTime, now } from '../clock.ts';
import { formatDuration, formatTime } from '../time-format.ts';

/**
 * An instant, with UTC where the mouse rests. @param at epoch milliseconds; 0: there is none @param over it
 * will never come
 */
export function Timestamp({ at, over = false }: { readonly at: number; readonly over?: boolean }) {
  if (at === 0) return <span className="none">{over ? 'never' : 'not yet'}</span>;
  return (
    <time dateTime={toIsoTime(at)} title={toIsoTime(at)}>
      {formatTime(at)}
    </time>
  );
}

/** The time from one instant to another, or to now while there is no other. Nothing when it has not begun. */
export function Duration({ from, to }: { readonly from: number; readonly to: number }) {
  if (from === 0) return <span className="none">–</span>;
  return (
    <span className="time">{to === 0 ? <RunningDuration from={from} /> : formatDuration(to - from)}</span>
  );
}

function RunningDuration({ from }: { readonly from: number }) {
  const [moment, setMoment] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setMoment(now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return formatDuration(moment - from);
}
