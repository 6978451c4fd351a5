import type { Comparison } from '@medloom/contracts'
import { useEffect } from 'react'
import { Problem } from '../../components/problem'
import { Skeleton } from '../../components/skeleton'
import { TaskProgress, useTask } from '../../components/task-progress'
import { compare as text } from '../../text/compare'
import { useText } from '../../text/use-text'
import type { Compared } from './compared'

/** Progress of the task that evaluates both models; at its end the address changes to the resulting comparison. */
export function Comparing({ taskId, onChange }: Pick<Compared, 'onChange'> & { readonly taskId: string }) {
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
