import type { CasePredictions, RouteResponse } from '@medloom/contracts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { invalidate, routeQuery, urlOf } from '../../app/service'
import { Button, FileLink } from '../../components/button'
import { TaskProgress, useTask } from '../../components/task-progress'
import { IDLE_MODEL_TASKS_POLL_MILLISECONDS, TASKS_POLL_MILLISECONDS } from '../../durations'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import styles from './model-page.module.css'

type Task = RouteResponse<'getTask'>

const SHOWN = 50

/** Tasks of a model: those started on this page, and running ones of any user. Each is listed until the user closes it. */
export function useTasks(modelId: string) {
  const { data } = useQuery({
    ...routeQuery('listTasks', { page_size: SHOWN }),
    refetchInterval: ({ state }) =>
      state.data?.tasks.some((task) => task.state === 'running')
        ? TASKS_POLL_MILLISECONDS
        : IDLE_MODEL_TASKS_POLL_MILLISECONDS,
  })
  const [known, setKnown] = useState<readonly string[]>([])
  const [closed, setClosed] = useState<readonly string[]>([])
  const running = (data?.tasks ?? []).filter(
    ({ state, request }) => state === 'running' && request.model_id === modelId,
  )
  const added = running.map(({ task_id }) => task_id).filter((id) => !known.includes(id))
  if (added.length > 0) setKnown([...known, ...added])
  return {
    shown: known.filter((id) => !closed.includes(id)),
    add: (id: string) => setKnown((before) => (before.includes(id) ? before : [...before, id])),
    close: (id: string) => setClosed((before) => [...before, id]),
  }
}

export function Tasks({ shown, close }: Pick<ReturnType<typeof useTasks>, 'shown' | 'close'>) {
  if (shown.length === 0) return null
  return (
    <ul className={styles.tasks}>
      {shown.map((id) => (
        <TaskRow key={id} id={id} onClose={() => close(id)} />
      ))}
    </ul>
  )
}

function TaskRow({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const t = useText(text)
  const { data: task } = useTask(id)
  const state = task?.state
  useNewEvaluation(state)
  if (!task) return null
  const name = t(NAMES[task.route] ?? 'task.evaluate')
  return (
    <li className={styles.task}>
      <div className={styles.bar}>
        <strong>{name}</strong>
        {task.state !== 'running' && (
          <>
            <span role="status">{t(`task.${task.state}`)}</span>
            <Button kind="quiet" icon="close" aria-label={t('task.close')} onPress={onClose} />
            <Outcome task={task} />
          </>
        )}
      </div>
      <TaskProgress label={name} task={task} />
    </li>
  )
}

/** Tasks of a model by route; all others are evaluations. */
const NAMES: Readonly<Record<string, 'task.export' | 'task.predict'>> = {
  exportModel: 'task.export',
  predictCases: 'task.predict',
}

/** Result of a completed task: a link to the evaluation, the exported file or the predictions. */
function Outcome({ task }: { readonly task: Task }) {
  const t = useText(text)
  if (task.state !== 'completed') return null
  if (task.route === 'exportModel') {
    const { job_id, file } = task.result as RouteResponse<'exportModel'>
    return <FileLink href={urlOf('getJobFile', { job_id, path: file })}>{t('task.save')}</FileLink>
  }
  if (task.route === 'predictCases') {
    const { prediction_id, hidden } = task.result as CasePredictions
    if (hidden) return <span>{t('predict.hidden')}</span>
    return <FileLink href={urlOf('getPredictionFile', { prediction_id })}>{t('task.save')}</FileLink>
  }
  const { evaluation_id } = task.result as RouteResponse<'evaluateModel'>
  return (
    <Link to="." search={{ evaluation: evaluation_id }}>
      {t('task.open')}
    </Link>
  )
}

/** A new evaluation appears in the list immediately. */
function useNewEvaluation(state: Task['state'] | undefined): void {
  useEffect(() => {
    if (state === 'completed')
      void invalidate('listModelEvaluations', 'getModel', 'getEvaluation', 'listJobFiles')
  }, [state])
}
