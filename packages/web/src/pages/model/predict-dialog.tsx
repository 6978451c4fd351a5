import type { CasePredictions, RouteResponse } from '@medloom/contracts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { routeQuery, service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { TextField } from '../../components/field'
import { Problem } from '../../components/problem'
import { Skeleton } from '../../components/skeleton'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import styles from './model-page.module.css'
import { PredictionResult } from './prediction-result'
import type { Model } from './use-evaluations'

type Prepared = NonNullable<RouteResponse<'getJobStatus'>['prepared']>
type Row = Readonly<Record<string, string>>

/** Predicts one case that is entered here, or starts a task for a table or folder. */
export function PredictDialog({
  model: { model_id, job_id },
  onBegun,
  onClose,
}: {
  readonly model: Model
  readonly onBegun: (task: string) => void
  readonly onClose: () => void
}) {
  const t = useText(text)
  const [path, setPath] = useState('')
  const [row, setRow] = useState<Row>({})
  const { data: job } = useQuery(routeQuery('getJobStatus', { job_id }))
  const isTable = path.trim() !== ''
  const predict = useMutation({
    mutationFn: async (): Promise<CasePredictions | null> => {
      if (!isTable) return (await service.predictCases({ model_id, rows: [filled(row)] })) as CasePredictions
      const { task_id } = await service.startTask('predictCases', { model_id, path: path.trim() })
      onBegun(task_id)
      return null
    },
  })
  return (
    <Dialog
      title={t('predict.title')}
      size="wide"
      isOpen
      onClose={onClose}
      action={
        <Button kind="primary" isPending={predict.isPending} onPress={() => predict.mutate()}>
          {t('predict')}
        </Button>
      }
    >
      <TextField label={t('predict.path')} hint={t('predict.pathHint')} value={path} onChange={setPath} />
      {!isTable && <CaseForm prepared={job?.prepared} row={row} onChange={setRow} />}
      {predict.isError && <Problem error={predict.error} />}
      <div role="status">{predict.data && !isTable && <PredictionResult found={predict.data} />}</div>
    </Dialog>
  )
}

/** A field for each column that the model reads. */
function CaseForm({
  prepared,
  row,
  onChange,
}: {
  readonly prepared: Prepared | null | undefined
  readonly row: Row
  readonly onChange: (row: Row) => void
}) {
  const t = useText(text)
  if (!prepared) return <Skeleton height={10} />
  const { image_columns, numeric_columns, categorical_columns } = prepared
  const set = (column: string) => (value: string) => onChange({ ...row, [column]: value })
  return (
    <fieldset className={styles.case}>
      <legend>{t('predict.case')}</legend>
      {image_columns.map((column) => (
        <TextField
          key={column}
          label={t('predict.image', { column })}
          hint={t('predict.imageHint')}
          value={row[column] ?? ''}
          onChange={set(column)}
        />
      ))}
      <div className={styles.cells}>
        {[...numeric_columns, ...categorical_columns].map((column) => (
          <TextField key={column} label={column} value={row[column] ?? ''} onChange={set(column)} />
        ))}
      </div>
    </fieldset>
  )
}

/** Empty fields are missing values, which the model may accept. */
function filled(row: Row): Record<string, string> {
  return Object.fromEntries(
    Object.entries(row)
      .map(([column, value]): [string, string] => [column, value.trim()])
      .filter(([, value]) => value !== ''),
  )
}
