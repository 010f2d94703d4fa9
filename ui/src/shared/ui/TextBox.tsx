import css from './TextBox.module.css';

/** A text as it is, in a box that scrolls. */
export function TextBox({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={css.text} tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  );
}
