import { useEffect, useState } from 'react';

/** The clock, in milliseconds since 1970, read again every so often; at rest when every is 0. */
export function useNow(every: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    if (every === 0) return undefined;
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}
