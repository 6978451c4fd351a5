import type { TrainingCheck } from '@medloom/contracts'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { train } from '../../text/train'
import { useText } from '../../text/use-text'
import { Issues } from './check-summary'
import { issuesOf } from './use-check'

/** Confirmation before a start that would fail. A refused configuration cannot be started at all. */
export function StartConfirmation({
  check,
  onClose,
  onStart,
}: {
  readonly check: TrainingCheck
  readonly onClose: () => void
  readonly onStart: () => void
}) {
  const t = useText(train)
  const isRefused = check.config === null
  return (
    <Dialog
      title={t('doubt.title')}
      isOpen
      onClose={onClose}
      action={
        isRefused ? undefined : (
          <Button kind="danger" onPress={onStart}>
            {t('doubt.anyway')}
          </Button>
        )
      }
    >
      <p>{t(isRefused ? 'doubt.refused' : 'doubt.fails')}</p>
      <Issues issues={issuesOf(check, null)} />
    </Dialog>
  )
}
