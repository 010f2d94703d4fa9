import type { ToolCall, ToolRequest } from '../api/run.ts';
import css from './CallView.module.css';
import { TextBox } from './TextBox.tsx';

/** What a call of a tool logged, and what it requested, in that order. */
export function CallView({ call }: { call: ToolCall }) {
  return (
    <div className={css.call}>
      {call.logs.length > 0 ? (
        <TextBox text={call.logs.join('\n')} label="Log of the tool" />
      ) : (
        <p className={css.quiet}>It logged nothing.</p>
      )}
      {call.fetches.length > 0 && (
        <>
          <h3 className={css.title}>{call.fetches.length === 1 ? 'Request' : 'Requests'}</h3>
          <ol className={css.fetches}>
            {call.fetches.map((fetch, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order
              <li key={at}>
                <span className={css.method}>{fetch.method}</span> <code className={css.target}>{fetch.url}</code>
                <p className={css.quiet}>{endOf(fetch)}</p>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

/** What became of a request. */
function endOf({ status, sent, error }: ToolRequest): string {
  if (status !== null) return `HTTP ${status}`;
  const said = error?.message ?? 'No answer came.';
  return sent ? `Sent, and no answer came: ${said}` : `Not sent: ${said}`;
}
