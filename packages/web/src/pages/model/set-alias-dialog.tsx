import { ALIAS_NAME } from '@medloom/contracts/plain'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { invalidate, routeQuery, service } from '../../app/service'
import { Button } from '../../components/button'
import { ComboField } from '../../components/combo-field'
import { Dialog } from '../../components/dialog'
import { TextField } from '../../components/field'
import { Problem } from '../../components/problem'
import { Select } from '../../components/select'
import { useFormatters } from '../../text/formatters'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import type { Model } from './use-evaluations'

/** The service chooses the evaluation. */
const NEWEST = 'newest'
const MAX_EVALUATIONS = 1000

/** Sets a new alias to this model, or moves one from another model, with the evaluation that supports it. */
export function SetAliasDialog({
  model: { model_id },
  onClose,
}: {
  readonly model: Model
  readonly onClose: () => void
}) {
  const t = useText(text)
  const [alias, setAlias] = useState('')
  const [evaluation, setEvaluation] = useState(NEWEST)
  const [note, setNote] = useState('')
  const current = useQuery(routeQuery('listAliases', {})).data?.aliases ?? []
  const moved = current.find((one) => one.alias === alias && one.model_id !== model_id)
  const isInvalid = !ALIAS_NAME.test(alias)
  const set = useMutation({
    mutationFn: () =>
      service.setAlias({
        ...{ alias, model_id },
        ...(evaluation === NEWEST ? {} : { evaluation_id: evaluation }),
        ...(note.trim() === '' ? {} : { note: note.trim() }),
      }),
    onSuccess: async () => {
      onClose()
      await invalidate('listAliases', 'listAliasMoves', 'getAlias', 'listModels', 'getModel')
    },
  })
  return (
    <Dialog
      title={t('alias.set')}
      isOpen
      onClose={onClose}
      action={
        <Button kind="primary" isDisabled={isInvalid} isPending={set.isPending} onPress={() => set.mutate()}>
          {t('alias.set')}
        </Button>
      }
    >
      <ComboField
        label={t('alias.name')}
        hint={t('alias.nameHint')}
        error={alias !== '' && isInvalid ? t('alias.nameError') : undefined}
        options={current.map((one) => one.alias)}
        value={alias}
        onChange={setAlias}
      />
      {moved?.model_id && <p role="status">{t('alias.moves', { alias, model: moved.model_id })}</p>}
      <EvaluationSelect modelId={model_id} value={evaluation} onChange={setEvaluation} />
      <TextField label={t('alias.note')} lines={2} value={note} onChange={setNote} />
      <p>{t('alias.kept')}</p>
      {set.isError && <Problem error={set.error} />}
    </Dialog>
  )
}

function EvaluationSelect({
  modelId,
  value,
  onChange,
}: {
  readonly modelId: string
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const t = useText(text)
  const format = useFormatters()
  const list = useQuery(routeQuery('listModelEvaluations', { model_id: modelId, page_size: MAX_EVALUATIONS }))
  const choices = (list.data?.evaluations ?? []).map(({ evaluation_id, split, num_cases, created_at }) => ({
    value: evaluation_id,
    label: t('evaluation.of', { split, cases: num_cases, created: format.moment(created_at) }),
  }))
  return (
    <Select
      label={t('alias.evaluation')}
      choices={[{ value: NEWEST, label: t('alias.newestTest') }, ...choices]}
      value={value}
      onChange={onChange}
    />
  )
}
