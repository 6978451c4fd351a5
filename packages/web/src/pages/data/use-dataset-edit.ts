import type { Dataset, EditDatasetRequest } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { service } from '../../app/service'
import { useTask } from '../../components/task-progress'
import { cacheDataset } from './cache-dataset'

/** Changes a dataset in a task that inspects its files; onEdited is called once the change is stored. */
export function useDatasetEdit({ dataset_id }: Dataset, onEdited?: () => void) {
  const start = useMutation({
    mutationFn: (change: EditDatasetRequest) => service.startTask('editDataset', { dataset_id, ...change }),
  })
  const { data: task } = useTask(start.data?.task_id)
  const edited = task?.state === 'completed' ? (task.result as Dataset) : null
  useEffect(() => {
    if (!edited) return
    cacheDataset(edited)
    onEdited?.()
  }, [edited, onEdited])
  return {
    edit: start.mutate,
    isEditing: start.isPending || task?.state === 'running',
    task,
    error: start.error,
  }
}
