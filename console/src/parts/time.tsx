/** Instants and durations on the page. */
import { useEffect, useState } from 'react';
import { toIsoTime, now } from '../clock.ts';
import { formatDuration, formatTime } from '../time-format.ts';

/** Shows an instant, with UTC as a tooltip. @param at epoch ms; 0 for none @param over it will never come */
export function Timestamp({ at, over = false }: { readonly at: number; readonly over?: boolean }) {
  if (at === 0) return <span className="none">{over ? 'never' : 'not yet'}</span>;
  return (
    <time dateTime={toIsoTime(at)} title={toIsoTime(at)}>
      {formatTime(at)}
    </time>
  );
}

/** Shows the duration between two instants; `from` 0: not started, `to` 0: until now. */
export function Duration({ from, to }: { readonly from: number; readonly to: number }) {
  if (from === 0) return <span className="none">–</span>;
  return (
    <span className="time">{to === 0 ? <RunningDuration from={from} /> : formatDuration(to - from)}</span>
  );
}

function RunningDuration({ from }: { readonly from: number }) {
  const [currentTime, setCurrentTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setCurrentTime(now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return formatDuration(currentTime - from);
}
