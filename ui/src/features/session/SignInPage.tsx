import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useTitle } from '../../shared/ui/useTitle.ts';
import { LinkForm } from './LinkForm.tsx';
import { PasswordForm } from './PasswordForm.tsx';
import css from './Session.module.css';

const route = getRouteApi('/sign-in');

/** The token of a one-time link stands behind the # and so never reached a server or its log. */
function tokenInAddress(): string {
  return new URLSearchParams(globalThis.location.hash.slice(1)).get('link') ?? '';
}

/** Sign in, with a one-time link or with an e-mail address and a password. */
export function SignInPage() {
  useTitle('Sign in');
  const { to = '/' } = route.useSearch();
  const router = useRouter();
  const [token, setToken] = useState(tokenInAddress);
  // replace takes a token out of the browser's history too.
  const onDone = () => router.history.replace(to);
  return (
    <main className={css.page}>
      <div className={css.card}>
        <img src="/pawl.svg" alt="" width="40" height="40" />
        <h1>Sign in to Pawl</h1>
        {token === '' ? (
          <PasswordForm onDone={onDone} />
        ) : (
          <LinkForm token={token} onDone={onDone} onPassword={() => setToken('')} />
        )}
      </div>
    </main>
  );
}
