import type { Attempt } from '../../shared/api/run.ts';
import { CallView } from '../../shared/ui/CallView.tsx';
import css from './Request.module.css';

/** What a tool logged and requested, the last try first. */
export function CallLog({ attempts }: { attempts: Attempt[] }) {
  const called = attempts.filter(({ call }) => call !== null).reverse();
  return (
    <div className={css.request}>
      {called.map(({ n, call }) => (
        <section key={n} aria-label={`Log of attempt ${n}`}>
          {attempts.length > 1 && <h3 className={css.title}>Attempt {n}</h3>}
          {call && <CallView call={call} />}
        </section>
      ))}
    </div>
  );
}
