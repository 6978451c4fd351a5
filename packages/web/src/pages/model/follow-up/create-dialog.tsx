import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { invalidate, service } from '../../../app/service'
import { Button } from '../../../components/button'
import { Dialog } from '../../../components/dialog'
import { Checkbox, TextField } from '../../../components/field'
import { Problem } from '../../../components/problem'
import { followUp as text } from '../../../text/follow-up'
import { useText } from '../../../text/use-text'

const DEFAULTS = { name: '', idColumn: '', days: '30', silent: false }

/** Creates a follow-up, which collects the predictions of a model from now on. */
export function CreateFollowUpDialog({
  modelId,
  onClose,
}: {
  readonly modelId: string
  readonly onClose: () => void
}) {
  const t = useText(text)
  const [typed, setTyped] = useState(DEFAULTS)
  const set = (changes: Partial<typeof DEFAULTS>) => setTyped((before) => ({ ...before, ...changes }))
  const request = {
    ...{ model: modelId, name: typed.name.trim(), silent: typed.silent, window_days: Number(typed.days) },
    ...(typed.idColumn.trim() === '' ? {} : { id_column: typed.idColumn.trim() }),
  }
  const create = useMutation({
    mutationFn: () => service.createFollowUp(request),
    onSuccess: async () => {
      onClose()
      await invalidate('listFollowUps')
    },
  })
  const isWhole = /^[1-9]\d*$/.test(typed.days.trim())
  return (
    <Dialog
      title={t('create')}
      isOpen
      onClose={onClose}
      action={
        <Button
          kind="primary"
          isDisabled={!isWhole || request.name === ''}
          isPending={create.isPending}
          onPress={() => create.mutate()}
        >
          {t('create.action')}
        </Button>
      }
    >
      <p>{t('lead')}</p>
      <TextField label={t('create.name')} value={typed.name} onChange={(name) => set({ name })} autoFocus />
      <TextField
        label={t('create.idColumn')}
        hint={t('create.idColumnHint')}
        value={typed.idColumn}
        onChange={(idColumn) => set({ idColumn })}
      />
      <TextField
        label={t('create.days')}
        inputMode="decimal"
        error={isWhole ? undefined : t('create.daysError')}
        value={typed.days}
        onChange={(days) => set({ days })}
      />
      <Checkbox isSelected={typed.silent} onChange={(silent) => set({ silent })}>
        {t('create.silent')}
      </Checkbox>
      {create.isError && <Problem error={create.error} />}
    </Dialog>
  )
}
