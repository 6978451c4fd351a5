import type { RouteResponse } from '@medloom/contracts'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { invalidate, routeQuery, service } from '../../app/service'
import { Button } from '../../components/button'
import { EmptyState } from '../../components/panel'
import { PlainTable } from '../../components/plain-table'
import { Problem } from '../../components/problem'
import { Progress } from '../../components/progress'
import { ErrorText, ServiceText } from '../../components/service-text'
import { Status, type Tone } from '../../components/status'
import { IDLE_TASKS_POLL_MILLISECONDS, TASKS_POLL_MILLISECONDS } from '../../durations'
import { useFormatters } from '../../text/formatters'
import { system as text } from '../../text/system'
import { useText } from '../../text/use-text'
import { TASKS } from './queries'
import styles from './system.module.css'

type Task = RouteResponse<'listTasks'>['tasks'][number]
const TONES = {
  running: 'running',
  completed: 'good',
  failed: 'bad',
  cancelled: 'neutral',
} as const satisfies Record<Task['state'], Tone>

/** Background tasks, newest first; running tasks can be canceled. */
export function Tasks() {
  const t = useText(text)
  const format = useFormatters()
  const { data } = useSuspenseQuery({
    ...routeQuery('listTasks', TASKS),
    refetchInterval: ({ state }) =>
      state.data?.tasks.some((task) => task.state === 'running')
        ? TASKS_POLL_MILLISECONDS
        : IDLE_TASKS_POLL_MILLISECONDS,
  })
  const cancel = useMutation({
    mutationFn: (task_id: string) => service.cancelTask({ task_id }),
    onSettled: () => invalidate('listTasks'),
  })
  if (data.tasks.length === 0) return <EmptyState title={t('tasks.none')} />
  return (
    <>
      {cancel.isError && <Problem error={cancel.error} />}
      <PlainTable
        label={t('tasks.title')}
        head={[t('tasks.what'), t('tasks.state'), t('tasks.progress'), t('tasks.begun'), t('tasks.action')]}
        rows={data.tasks.map((task) => ({
          key: task.task_id,
          cells: [
            <code key="what">{task.route}</code>,
            <Status key="state" tone={TONES[task.state]}>
              {t(`task.${task.state}`)}
            </Status>,
            <TaskState key="progress" task={task} />,
            format.moment(task.created_at),
            task.state === 'running' && (
              <Button
                key="cancel"
                kind="quiet"
                icon="stopped"
                isDisabled={cancel.isPending && cancel.variables === task.task_id}
                onPress={() => cancel.mutate(task.task_id)}
              >
                {t('tasks.cancel')}
              </Button>
            ),
          ],
        }))}
      />
    </>
  )
}

function TaskState({
  task: { state, progress, phase, phase_phrases, error, route },
}: {
  readonly task: Task
}) {
  if (error)
    return (
      <span>
        <ErrorText code={error.code} english={error.error} phrases={error.error_phrases} />{' '}
        <span className={styles.code}>{error.code}</span>
      </span>
    )
  if (state !== 'running') return null
  return (
    <div className={styles.standing}>
      <span className={styles.soft}>
        <ServiceText english={phase} phrases={phase_phrases} />
      </span>
      <Progress label={route} value={progress} />
    </div>
  )
}
