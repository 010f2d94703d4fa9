import type { Attempt, SentRequest } from '../../shared/api/run.ts';
import { readTyped } from '../../shared/json/exact.ts';
import { JsonText } from '../../shared/json/JsonText.tsx';
import { StateMark } from '../../shared/ui/StateMark.tsx';
import { attemptLook } from '../../shared/ui/states.ts';
import { TextBox } from '../../shared/ui/TextBox.tsx';
import css from './Request.module.css';

/** What a step sent: the same bytes with every attempt, as its input is evaluated once. The key is never there. */
export function RequestView({ attempts }: { attempts: Attempt[] }) {
  const request = attempts.findLast((attempt) => attempt.request !== null)?.request;
  if (!request) return null;
  return (
    <div className={css.request}>
      <p className={css.target}>
        <span className={css.method}>{request.method}</span> <code>{request.url}</code>
      </p>
      <dl className={css.headers} aria-label="Headers">
        {Object.entries(request.headers).map(([name, value]) => (
          <div key={name} className={css.header}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Body request={request} />
      <h3 className={css.title}>{attempts.length === 1 ? 'Answer' : 'Answers'}</h3>
      <ol className={css.answers}>
        {attempts.map((attempt) => (
          <li key={attempt.n}>
            {attempts.length > 1 && <span>Attempt {attempt.n}</span>}
            <StateMark look={attemptLook(attempt)} />
            {attempt.status !== null && <span>HTTP {attempt.status}</span>}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The body as far as it is kept: laid out where it is whole and JSON. */
function Body({ request }: { request: SentRequest }) {
  const { body, body_bytes: size } = request;
  if (size === 0) return <p className={css.quiet}>No body</p>;
  const isWhole = new TextEncoder().encode(body).length === size;
  const typed = readTyped(body ?? '');
  return (
    <>
      {isWhole && typed.ok ? (
        <JsonText text={typed.text} label="Body of the request" />
      ) : (
        <TextBox text={body ?? ''} label="Body of the request" />
      )}
      <p className={css.quiet}>
        {isWhole ? '' : 'The beginning of '}
        {size.toLocaleString('en')} bytes
      </p>
    </>
  );
}
