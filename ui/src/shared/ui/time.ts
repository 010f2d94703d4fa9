const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** An instant in the viewer's zone, which it names. */
export function absoluteTime(instant: string): string {
  return `${absolute.format(new Date(instant))} ${zone}`;
}

/** An instant as seen from now, in milliseconds since 1970: "3 minutes ago", "in 2 hours", "just now". */
export function relativeTime(instant: string, now: number): string {
  const seconds = Math.round((Date.parse(instant) - now) / 1000);
  if (Math.abs(seconds) < 5) return 'just now';
  const [unit, size] = units.find(([, s]) => Math.abs(seconds) >= s) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** How long something took, in milliseconds: "340 ms", "1.2 s", "3 min 12 s", "2 h 5 min". */
export function lengthOfTime(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** The time between two instants, or from the first until now while there is no second; null before the first. */
export function spanBetween(from: string | null, to: string | null, now: number): string | null {
  if (from === null) return null;
  return lengthOfTime((to === null ? now : Date.parse(to)) - Date.parse(from));
}
