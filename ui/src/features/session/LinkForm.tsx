import { Button } from '@mantine/core';
import { ProblemNote } from '../../shared/ui/ProblemNote.tsx';
import css from './Session.module.css';
import { useSignIn } from './useSignIn.ts';

/** A one-time link is used up by a deliberate act, so that what opens links by itself doesn't use it. */
export function LinkForm({ token, onDone, onPassword }: { token: string; onDone: () => void; onPassword: () => void }) {
  const signIn = useSignIn(onDone);
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate({ link: token });
      }}
    >
      <p className={css.quiet}>This link signs you in once, in this browser.</p>
      {signIn.error && <ProblemNote error={signIn.error} />}
      {signIn.error ? (
        <Button variant="default" onClick={onPassword}>
          Sign in with a password
        </Button>
      ) : (
        <Button type="submit" loading={signIn.isPending} data-autofocus autoFocus>
          Sign in
        </Button>
      )}
    </form>
  );
}
