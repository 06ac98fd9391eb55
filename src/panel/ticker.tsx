import { useEffect, useState } from 'preact/hooks';
import { age, ago } from './words.ts';

const listeners = new Set<() => void>();
let timer: number | undefined;

/** Redraws the caller once a second; one timer serves the whole page. */
function useSecond(): void {
  const [, redraw] = useState(0);
  useEffect(() => {
    const tick = () => redraw((n) => n + 1);
    listeners.add(tick);
    timer ??= window.setInterval(() => {
      for (const listener of listeners) listener();
    }, 1000);
    return () => {
      listeners.delete(tick);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
}

/** How long ago `since` was, ticking. */
export function Age({ since, now }: { since: number; now: () => number }) {
  useSecond();
  return (
    <time dateTime={new Date(since).toISOString()} title={new Date(since).toLocaleString()}>
      {ago(now() - since)}
    </time>
  );
}

/** How long something may still be answered, ticking. */
export function Left({ until, now }: { until: number; now: () => number }) {
  useSecond();
  const left = until - now();
  return <span class={left < 60_000 ? 'left soon' : 'left'}>{left <= 0 ? 'time is up' : `${age(left)} left`}</span>;
}
