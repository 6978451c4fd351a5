import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { routeQuery, service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Checkbox, TextField } from '../../components/field'
import { Problem } from '../../components/problem'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import styles from './model-page.module.css'
import type { Model } from './use-evaluations'

interface Chosen {
  readonly csv: string
  readonly split: string
  readonly with_images: boolean
  readonly with_saliency: boolean
  readonly calibrated: boolean
  readonly importance: boolean
}
const DEFAULTS: Chosen = {
  ...{ csv: '', split: 'test', calibrated: false, importance: false },
  ...{ with_images: false, with_saliency: false },
}

/** Starts the evaluation of a model on a table as a background task. */
export function EvaluateDialog({
  model: { model_id, job_id },
  onBegun,
  onClose,
}: {
  readonly model: Model
  readonly onBegun: (task: string) => void
  readonly onClose: () => void
}) {
  const t = useText(text)
  const [chosen, setChosen] = useState(DEFAULTS)
  const set = (changes: Partial<Chosen>) => setChosen((before) => ({ ...before, ...changes }))
  const { data: job } = useQuery(routeQuery('getJobStatus', { job_id }))
  const start = useMutation({
    mutationFn: () => service.startTask('evaluateModel', { model_id, ...requestOf(chosen) }),
    onSuccess: ({ task_id }) => onBegun(task_id),
  })
  return (
    <Dialog
      title={t('evaluate.title')}
      isOpen
      onClose={onClose}
      action={
        <Button kind="primary" isPending={start.isPending} onPress={() => start.mutate()}>
          {t('evaluate')}
        </Button>
      }
    >
      <TextField
        label={t('evaluate.csv')}
        hint={t('evaluate.csvHint')}
        placeholder={job?.config.data.test_csv ?? ''}
        value={chosen.csv}
        onChange={(csv) => set({ csv })}
      />
      <TextField label={t('evaluate.split')} value={chosen.split} onChange={(split) => set({ split })} />
      <div className={styles.boxes}>
        <Checkbox
          isSelected={chosen.with_images}
          onChange={(on) => set({ with_images: on, with_saliency: on && chosen.with_saliency })}
        >
          {t('evaluate.images')}
        </Checkbox>
        <Checkbox
          isSelected={chosen.with_saliency}
          onChange={(on) => set({ with_saliency: on, with_images: on || chosen.with_images })}
        >
          {t('evaluate.saliency')}
        </Checkbox>
        <Checkbox isSelected={chosen.calibrated} onChange={(on) => set({ calibrated: on })}>
          {t('evaluate.calibrated')}
        </Checkbox>
        <Checkbox isSelected={chosen.importance} onChange={(on) => set({ importance: on })}>
          {t('evaluate.importance')}
        </Checkbox>
      </div>
      <p className={styles.soft}>{t('evaluate.counted')}</p>
      {start.isError && <Problem error={start.error} />}
    </Dialog>
  )
}

/** Without a table, the table of the training is used. */
function requestOf({ csv, split, importance, ...flags }: Chosen) {
  return {
    ...flags,
    ...(csv.trim() === '' ? {} : { test_csv: csv.trim() }),
    ...(split.trim() === '' ? {} : { split: split.trim() }),
    ...(importance ? { importance: {} } : {}),
  }
}
