import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import { Button } from './button'
import styles from './dialog.module.css'

/** A question that has to be answered first. Escape and "Cancel" change nothing. */
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
  /** full: all of the window, for what has to be looked at. */
  readonly size?: 'usual' | 'wide' | 'full'
  readonly children: ReactNode
  /** The button that does it. */
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
