import type { Shape } from './states.ts';

/** Line drawings on a 16 px square. */
const paths: Record<Shape | 'right' | 'down', string> = {
  dots: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  turning: 'M8 2.250a5.75 5.75 0 1 1-5.75 5.75',
  clock: 'M8 2.250a5.75 5.75 0 1 1 0 11.500a5.75 5.75 0 0 1 0-11.500M8 5v3.250l2 1.25',
  hand: 'M8 1.750l6.25 11.250h-12.500zM8 6.500v3M8 11.250h.01',
  question:
    'M8 2.250a5.75 5.75 0 1 1 0 11.500a5.75 5.75 0 0 1 0-11.500M6.25 6.500a1.75 1.75 0 1 1 2.4 1.630c-.4.16-.65.54-.65.96M8 11.100h.01',
  check: 'M3 8.500l3.25 3.250l6.75-7.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  skip: 'M3.5 4l5 4l-5 4zM12 4v8',
  stop: 'M8 2.250a5.75 5.75 0 1 1 0 11.500a5.75 5.75 0 0 1 0-11.500M4 12l8-8',
  right: 'M6 4l4 4l-4 4',
  down: 'M4 6l4 4l4-4',
};

/** A small drawing beside a word; the word says what it means. */
export function Icon({ shape }: { shape: keyof typeof paths }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" fill="none" aria-hidden="true">
      <path d={paths[shape]} stroke="currentColor" strokeWidth="1.75" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
