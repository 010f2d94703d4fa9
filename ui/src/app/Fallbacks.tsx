import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import page from '../shared/ui/Page.module.css';
import { ProblemNote } from '../shared/ui/ProblemNote.tsx';
import { useTitle } from '../shared/ui/useTitle.ts';

/** For an address that leads to no page. */
export function NothingHere() {
  useTitle('Nothing here');
  return (
    <main className={page.page}>
      <h1>There is nothing at this address</h1>
      <p>
        <Link to="/">Go to the automations</Link>
      </p>
    </main>
  );
}

/** For a person who is in no project. */
export function NoProject() {
  useTitle('No project');
  return (
    <main className={page.page}>
      <h1>You are in no project yet</h1>
      <p>Ask an admin to add you to one; then load this page again.</p>
    </main>
  );
}

/** For a page that couldn't be shown. */
export function PageBroke({ error, reset }: ErrorComponentProps) {
  useTitle('Error');
  return (
    <main className={page.page}>
      <h1>This page can't be shown</h1>
      <ProblemNote error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
    </main>
  );
}
