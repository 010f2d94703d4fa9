import { Button, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, api } from '../../shared/api/client.ts';
import { type Me, meQuery } from '../../shared/api/me.ts';
import { Icon } from '../../shared/ui/Icon.tsx';
import { PasswordDialog } from './PasswordDialog.tsx';

const schemes: { value: MantineColorScheme; label: string }[] = [
  { value: 'auto', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Who is signed in, and what concerns only that person. */
export function AccountMenu({ me }: { me: Me }) {
  const [isSettingPassword, setSettingPassword] = useState(false);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const queries = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => answer(api.DELETE('/api/v1/session')),
    onSettled: () => queries.setQueryData(meQuery.queryKey, null),
  });
  return (
    <>
      <Menu position="bottom-end" width={220} withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="subtle" color="gray" c="var(--ink)" ml="auto" px="xs" rightSection={<Icon shape="down" />}>
            {me.name || me.email}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{me.email}</Menu.Label>
          <Menu.Item onClick={() => setSettingPassword(true)}>
            {me.has_password ? 'Change password…' : 'Set a password…'}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Label>Colours</Menu.Label>
          <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)}>
            {schemes.map(({ value, label }) => (
              <Menu.RadioItem key={value} value={value}>
                {label}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.Divider />
          <Menu.Item onClick={() => signOut.mutate()}>Sign out</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isSettingPassword && <PasswordDialog me={me} onClose={() => setSettingPassword(false)} />}
    </>
  );
}
