import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import { Button } from './button'
import styles from './dialog.module.css'

/** A modal question. Escape and "Cancel" change nothing. */
export function Dialog({
  title,
  isOpen,
  onClose,
  size = 'usual',
  children,
  action,
}: {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  /** full: the whole window, for content that needs space. */
  readonly size?: 'usual' | 'wide' | 'full'
  readonly children: ReactNode
  /** Button that performs the action. */
  readonly action?: ReactNode
}) {
  const t = useText(parts)
  return (
    <ModalOverlay
      className={styles.overlay ?? ''}
      isOpen={isOpen}
      isDismissable
      onOpenChange={(open) => open || onClose()}
    >
      <Modal className={styles.modal ?? ''} data-size={size}>
        <AriaDialog className={styles.dialog ?? ''}>
          <Heading slot="title" className={styles.title ?? ''}>
            {title}
          </Heading>
          <div className={styles.body}>{children}</div>
          <footer className={styles.footer}>
            <Button onPress={onClose}>{t(action ? 'cancel' : 'close')}</Button>
            {action}
          </footer>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
