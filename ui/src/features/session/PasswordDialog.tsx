import { Button, Modal, PasswordInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, api } from '../../shared/api/client.ts';
import { type Me, meQuery } from '../../shared/api/me.ts';
import { ProblemNote } from '../../shared/ui/ProblemNote.tsx';
import css from './Session.module.css';

interface Props {
  me: Me;
  opened: boolean;
  onClose: () => void;
}

/** Sets the password with which the person signs in from now on. */
export function PasswordDialog({ me, opened, onClose }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={me.has_password ? 'Change password' : 'Set a password'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <PasswordFields me={me} onClose={onClose} />
    </Modal>
  );
}

function PasswordFields({ me, onClose }: Omit<Props, 'opened'>) {
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
