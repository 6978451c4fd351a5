import type { FollowUp } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { invalidate, service } from '../../../app/service'
import { Button } from '../../../components/button'
import { Dialog } from '../../../components/dialog'
import { Problem } from '../../../components/problem'
import { followUp as text } from '../../../text/follow-up'
import { useText } from '../../../text/use-text'
import styles from '../model-page.module.css'
import { OutcomesDialog } from './outcomes-dialog'

/** Actions of a follow-up: adding outcomes, evaluating them, and closing it. */
export function Actions({
  followUp,
  isHidden,
}: {
  readonly followUp: FollowUp
  /** Whether its results are hidden until it is closed. */
  readonly isHidden: boolean
}) {
  const t = useText(text)
  const { follow_up_id, name, closed_at } = followUp
  const [dialog, setDialog] = useState<'outcomes' | 'close' | null>(null)
  const evaluate = useMutation({
    mutationFn: () => service.evaluateFollowUp({ follow_up_id }),
    onSuccess: () => invalidate('listFollowUps', 'getFollowUp', 'getFollowUpEvaluation'),
  })
  const onClose = () => setDialog(null)
  return (
    <>
      <div className={styles.chosen}>
        <Button icon="upload" aria-haspopup="dialog" onPress={() => setDialog('outcomes')}>
          {t('outcomes.add')}
        </Button>
        {!isHidden && (
          <Button isPending={evaluate.isPending} onPress={() => evaluate.mutate()}>
            {t('evaluate')}
          </Button>
        )}
        {closed_at === null && (
          <Button aria-haspopup="dialog" onPress={() => setDialog('close')}>
            {t('close')}
          </Button>
        )}
      </div>
      {evaluate.isError && <Problem error={evaluate.error} />}
      {dialog === 'outcomes' && <OutcomesDialog followUp={followUp} onClose={onClose} />}
      {dialog === 'close' && <CloseDialog id={follow_up_id} name={name} onClose={onClose} />}
    </>
  )
}

function CloseDialog({
  id,
  name,
  onClose,
}: {
  readonly id: string
  readonly name: string
  readonly onClose: () => void
}) {
  const t = useText(text)
  const close = useMutation({
    mutationFn: () => service.closeFollowUp({ follow_up_id: id }),
    onSuccess: async () => {
      onClose()
      await invalidate('listFollowUps', 'getFollowUp')
    },
  })
  return (
    <Dialog
      title={t('close.title', { name })}
      isOpen
      onClose={onClose}
      action={
        <Button kind="primary" isPending={close.isPending} onPress={() => close.mutate()}>
          {t('close.action')}
        </Button>
      }
    >
      <p>{t('close.text')}</p>
      {close.isError && <Problem error={close.error} />}
    </Dialog>
  )
}
