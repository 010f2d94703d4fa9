import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import css from './Dialog.module.css';

interface Props {
  title: string;
  size?: 'md' | 'lg';
  onClose: () => void;
  children: ReactNode;
}

/** A dialog above the page. It takes the focus, keeps it, and gives it back; Escape closes it. */
export function Dialog({ title, size = 'md', onClose, children }: Props) {
  return (
    <Modal.Root opened onClose={onClose} size={size}>
      <Modal.Overlay />
      <Modal.Content className={css.dialog ?? ''}>
        <div className={css.head}>
          <Modal.Title className={css.title ?? ''}>{title}</Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
