import { absoluteTime, relativeTime } from './time.ts';
import { useNow } from './useNow.ts';

/** How often relative times are said anew, in milliseconds. */
const refresh = 5_000;

/** An instant as people say it; the exact one is in its tip. */
export function Moment({ at }: { at: string }) {
  const now = useNow(refresh);
  return (
    <time dateTime={at} title={absoluteTime(at)}>
      {relativeTime(at, now)}
    </time>
  );
}
