import { useState } from 'react'
import { Button } from '../../components/button'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { CardDialog } from './card-dialog'
import { DeleteDialog } from './delete-dialog'
import { EvaluateDialog } from './evaluate-dialog'
import { ExportDialog } from './export-dialog'
import { PredictDialog } from './predict-dialog'
import { ReportDialog } from './report-dialog'
import type { Model } from './use-evaluations'
import type { Document } from './view-props'

type Question = 'predict' | 'evaluate' | 'report' | 'card' | 'export' | 'delete'

/** Actions on a model. */
export function Actions({
  model,
  document,
  onBegun: onStarted,
}: {
  readonly model: Model
  readonly document: Document | undefined
  /** Called with the background task that was started. */
  readonly onBegun: (task: string) => void
}) {
  const t = useText(text)
  const [question, setQuestion] = useState<Question | null>(null)
  const close = () => setQuestion(null)
  const started = (task: string) => {
    onStarted(task)
    close()
  }
  return (
    <>
      <Button kind="primary" icon="running" onPress={() => setQuestion('evaluate')}>
        {t('evaluate')}
      </Button>
      <Button icon="right" onPress={() => setQuestion('predict')}>
        {t('predict')}
      </Button>
      <Button icon="file" isDisabled={!document} onPress={() => setQuestion('report')}>
        {t('report')}
      </Button>
      <Button icon="file" onPress={() => setQuestion('card')}>
        {t('card')}
      </Button>
      <Button icon="download" onPress={() => setQuestion('export')}>
        {t('export')}
      </Button>
      <Button kind="danger" icon="delete" onPress={() => setQuestion('delete')}>
        {t('delete')}
      </Button>
      {question === 'predict' && <PredictDialog model={model} onBegun={started} onClose={close} />}
      {question === 'evaluate' && <EvaluateDialog model={model} onBegun={started} onClose={close} />}
      {question === 'report' && document && <ReportDialog document={document} onClose={close} />}
      {question === 'card' && <CardDialog model={model} onClose={close} />}
      {question === 'export' && <ExportDialog model={model} onBegun={started} onClose={close} />}
      {question === 'delete' && <DeleteDialog model={model} onClose={close} />}
    </>
  )
}
