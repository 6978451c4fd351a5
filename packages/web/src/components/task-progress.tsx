import { MedloomError } from '@medloom/client'
import type { BackgroundTask } from '@medloom/contracts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { invalidate, routeQuery, service } from '../app/service'
import { TASK_POLL_MILLISECONDS } from '../durations'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import { Button } from './button'
import { Problem } from './problem'
import { Progress } from './progress'
import { ServiceText } from './service-text'
import styles from './task-progress.module.css'

/** A task of the service, polled while it runs. id: undefined if no task was started. */
export function useTask(id: string | undefined) {
  return useQuery({
    ...routeQuery('getTask', { task_id: id ?? '' }),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? TASK_POLL_MILLISECONDS : false),
  })
}

/** Progress and phase of a task with a button to cancel it, or the error. */
export function TaskProgress({ label, task }: { readonly label: string; readonly task: BackgroundTask }) {
  const t = useText(parts)
  const cancel = useMutation({
    mutationFn: () => service.cancelTask({ task_id: task.task_id }),
    onSettled: () => invalidate('getTask', 'listTasks'),
  })
  if (task.error) return <Problem error={taskError(task.error)} />
  if (task.state !== 'running') return null
  return (
    <div className={styles.task}>
      <div className={styles.line} role="status">
        <ServiceText english={task.phase} phrases={task.phase_phrases} />
      </div>
      <Progress label={label} value={task.progress > 0 ? task.progress : null} />
      <div>
        <Button icon="close" isDisabled={cancel.isPending} onPress={() => cancel.mutate()}>
          {t('cancel')}
        </Button>
      </div>
    </div>
  )
}

/** Error of a task, as the route itself would have returned it. */
function taskError({
  error,
  code,
  details,
  issues = [],
}: NonNullable<BackgroundTask['error']>): MedloomError {
  return new MedloomError(error, { http: 400, code, details, issues })
}
