import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, api } from '../../shared/api/client.ts';
import { type Me, meQuery } from '../../shared/api/me.ts';
import { Dialog } from '../../shared/ui/Dialog.tsx';
import { ProblemNote } from '../../shared/ui/ProblemNote.tsx';
import css from './Session.module.css';

interface Props {
  me: Me;
  onClose: () => void;
}

/** Sets the password with which the person signs in from now on. */
export function PasswordDialog({ me, onClose }: Props) {
  return (
    <Dialog onClose={onClose} title={me.has_password ? 'Change password' : 'Set a password'}>
      <PasswordFields me={me} onClose={onClose} />
    </Dialog>
  );
}

function PasswordFields({ me, onClose }: Props) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      answer(api.PUT('/api/v1/me/password', { body: { password, ...(me.has_password && { current }) } })),
    onSuccess: async () => {
      await queries.invalidateQueries(meQuery);
      onClose();
    },
  });
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <p className={css.quiet}>You sign in with {me.email}.</p>
      {me.has_password && (
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
      )}
      <PasswordInput
        label="New password"
        autoComplete="new-password"
        required
        withAsterisk={false}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        data-autofocus
      />
      {save.error && <ProblemNote error={save.error} />}
      <Button type="submit" loading={save.isPending}>
        Save password
      </Button>
    </form>
  );
}
