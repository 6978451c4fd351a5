import type { Comparison } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { service } from '../../app/service'
import { Button } from '../../components/button'
import { TextField } from '../../components/field'
import { EmptyState } from '../../components/panel'
import { Problem } from '../../components/problem'
import { Select } from '../../components/select'
import { Skeleton } from '../../components/skeleton'
import { TaskProgress, useTask } from '../../components/task-progress'
import { compare as text } from '../../text/compare'
import { useText } from '../../text/use-text'
import styles from './compare.module.css'
import { ComparisonView } from './comparison-view'
import { jobNames } from './job-names'
import type { CasesSearch, CompareViewProps } from './view-props'

const route = getRouteApi('/compare')
const selectCases = ({ task, comparison, agreement, order }: CasesSearch): CasesSearch => ({
  task,
  comparison,
  agreement,
  order,
})

/** Two of the models evaluated on the same cases, with the result. */
export function PairedComparison({ jobs, onChange }: CompareViewProps) {
  const search = route.useSearch({ select: selectCases, structuralSharing: true })
  const t = useText(text)
  const task = useTask(search.task)
  // After a failed or unknown task, another comparison can be started.
  const isBusy = search.task !== undefined && !task.error && task.data?.state !== 'failed'
  const models = jobNames(jobs).flatMap((label, index) => {
    const value = jobs[index]?.model_id ?? null
    return value === null ? [] : [{ value, label }]
  })
  return (
    <div className={styles.page}>
      {models.length < 2 && search.comparison === undefined ? (
        <EmptyState title={t('cases.need')} />
      ) : (
        <ComparisonForm models={models} onChange={onChange} isBusy={isBusy} />
      )}
      {search.task !== undefined && <ComparisonProgress taskId={search.task} onChange={onChange} />}
      {search.comparison !== undefined && (
        <ComparisonView comparisonId={search.comparison} search={search} onChange={onChange} />
      )}
    </div>
  )
}

/** Form for the two models and the table. An evaluation counts as a use of test data, and the form warns about it. */
function ComparisonForm({
  models,
  isBusy,
  onChange,
}: Pick<CompareViewProps, 'onChange'> & {
  readonly models: readonly { readonly value: string; readonly label: string }[]
  readonly isBusy: boolean
}) {
  const t = useText(text)
  const [first, setFirst] = useState(models[0]?.value ?? '')
  const [second, setSecond] = useState(models[1]?.value ?? '')
  const [csv, setCsv] = useState('')
  const [split, setSplit] = useState('test')
  const start = useMutation({
    mutationFn: () =>
      service.startTask('compareModels', {
        models: [first, second],
        split,
        ...(csv.trim() === '' ? {} : { test_csv: csv.trim() }),
      }),
    onSuccess: ({ task_id }) =>
      onChange({ task: task_id, comparison: undefined, agreement: undefined, order: undefined }),
  })
  return (
    <>
      <div className={styles.ask}>
        <Select label={t('cases.first')} choices={models} value={first} onChange={setFirst} />
        <Select label={t('cases.second')} choices={models} value={second} onChange={setSecond} />
        <TextField label={t('cases.split')} value={split} onChange={setSplit} />
        <TextField
          label={t('cases.csv')}
          value={csv}
          onChange={setCsv}
          error={first === second ? t('cases.same') : undefined}
        />
      </div>
      <p className={styles.soft}>{t('cases.counts')}</p>
      <div>
        <Button
          kind="primary"
          icon="compare"
          isDisabled={isBusy || start.isPending || first === second || first === '' || split.trim() === ''}
          onPress={() => start.mutate()}
        >
          {t('cases.start')}
        </Button>
      </div>
      {start.isError && <Problem error={start.error} />}
    </>
  )
}

/** Progress of the task that evaluates both models; at its end the address changes to the resulting comparison. */
function ComparisonProgress({
  taskId,
  onChange,
}: Pick<CompareViewProps, 'onChange'> & { readonly taskId: string }) {
  const t = useText(text)
  const { data: task, error } = useTask(taskId)
  const found = task?.state === 'completed' ? (task.result as Comparison).comparison_id : undefined
  const ended = task?.state === 'cancelled'
  useEffect(() => {
    if (found !== undefined) onChange({ task: undefined, comparison: found })
    else if (ended) onChange({ task: undefined })
  }, [found, ended, onChange])
  if (error) return <Problem error={error} />
  if (!task) return <Skeleton height={4} />
  return <TaskProgress label={t('cases.title')} task={task} />
}
