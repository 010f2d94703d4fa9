import { Button, PasswordInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ProblemNote } from '../../shared/ui/ProblemNote.tsx';
import css from './Session.module.css';
import { useSignIn } from './useSignIn.ts';

export function PasswordForm({ onDone }: { onDone: () => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useSignIn(onDone);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate({ email, password });
  };
  return (
    <form className={css.form} onSubmit={submit}>
      <TextInput
        label="E-mail"
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
      />
      {signIn.error && <ProblemNote error={signIn.error} />}
      <Button type="submit" loading={signIn.isPending}>
        Sign in
      </Button>
      <p className={css.quiet}>No password yet? The first start of Pawl prints a one-time link.</p>
    </form>
  );
}
