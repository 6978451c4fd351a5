import type { Dataset } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { service } from '../../app/service'
import { Button } from '../../components/button'
import { Problem } from '../../components/problem'
import { TaskProgress, useTask } from '../../components/task-progress'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import { cacheDataset } from './cache-dataset'

/** Inspects the files of a dataset again with the current roles. */
export function InspectAgain({ dataset }: { readonly dataset: Dataset }) {
  const t = useText(text)
  const start = useMutation({
    mutationFn: () =>
      service.startTask('editDataset', { dataset_id: dataset.dataset_id, inspect: true as const }),
  })
  const { data: task } = useTask(start.data?.task_id)
  const inspected = task?.state === 'completed' ? (task.result as Dataset) : null
  useEffect(() => {
    if (inspected) cacheDataset(inspected)
  }, [inspected])
  return (
    <div>
      <Button isDisabled={start.isPending || task?.state === 'running'} onPress={() => start.mutate()}>
        {t('remedy.inspect')}
      </Button>
      {task && <TaskProgress label={t('remedy.inspect')} task={task} />}
      {start.error && <Problem error={start.error} />}
    </div>
  )
}
