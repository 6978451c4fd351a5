import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { TextField } from '../../components/field'
import { Problem } from '../../components/problem'
import { Tabs } from '../../components/tabs'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { CasePanel } from './predict/case-panel'
import { usePredictedCase } from './predict/use-predicted-case'
import type { Model } from './use-evaluations'

type Cases = 'one' | 'many'

/** Predicts one case that is entered here, or starts a task for a table or folder. */
export function PredictDialog({
  model: { model_id },
  onBegun,
  onClose,
}: {
  readonly model: Model
  readonly onBegun: (task: string) => void
  readonly onClose: () => void
}) {
  const t = useText(text)
  const [cases, setCases] = useState<Cases>('one')
  const [path, setPath] = useState('')
  const one = usePredictedCase(model_id)
  const many = useMutation({
    mutationFn: () => service.startTask('predictCases', { model_id, path: path.trim() }),
    onSuccess: ({ task_id }) => onBegun(task_id),
  })
  const action =
    cases === 'one'
      ? { isPending: one.isPending, isDisabled: !one.isReady, onPress: one.predict }
      : { isPending: many.isPending, isDisabled: path.trim() === '', onPress: () => many.mutate() }
  return (
    <Dialog
      title={t('predict.title')}
      size="wide"
      isOpen
      onClose={onClose}
      action={
        <Button kind="primary" {...action}>
          {t('predict')}
        </Button>
      }
    >
      <Tabs
        label={t('predict.cases')}
        open={cases}
        onOpen={setCases}
        tabs={[
          { id: 'one', title: t('predict.one'), content: () => <CasePanel {...one} /> },
          {
            id: 'many',
            title: t('predict.many'),
            content: () => (
              <>
                <TextField
                  label={t('predict.path')}
                  hint={t('predict.pathHint')}
                  value={path}
                  onChange={setPath}
                />
                {many.isError && <Problem error={many.error} />}
              </>
            ),
          },
        ]}
      />
    </Dialog>
  )
}
