import { setTimeout as pause } from 'node:timers/promises'
import { type CallInput, type MedloomClient, MedloomError } from '@medloom/client/node'
import {
  type BackgroundRoute,
  type BackgroundTask,
  ERRORS,
  type ErrorCode,
  type RouteResponse,
} from '@medloom/contracts'
import { TASK_POLL_MILLISECONDS } from '../durations.js'
import { terminal } from '../terminal/terminal.js'
import { bar, type ProgressStream } from './progress-view.js'

/**
 * Let the service do the work of a route as a task, show its progress on a terminal, and return its response. Ctrl-C cancels the work: the
 * result is then null.
 * @throws MedloomError that the route would have returned.
 */
export async function followTask<N extends BackgroundRoute>(
  client: MedloomClient,
  name: N,
  input: CallInput<N>,
  stream: ProgressStream = terminal().stderr,
): Promise<RouteResponse<N> | null> {
  return watchTask(client, await client.startTask(name, input as never), stream)
}

/** Show the progress of a task, and return the response of its route; see followTask. */
export async function watchTask<N extends BackgroundRoute>(
  client: MedloomClient,
  started: BackgroundTask,
  stream: ProgressStream = terminal().stderr,
): Promise<RouteResponse<N> | null> {
  let task = started
  const interruption = new AbortController()
  const ignoreInterrupts = terminal().onInterrupt(() => interruption.abort())
  try {
    while (task.state === 'running') {
      if (stream.isTTY) stream.write(`\r\x1b[K${taskLine(task, stream.columns)}`)
      await pause(TASK_POLL_MILLISECONDS, undefined, { signal: interruption.signal }).catch(() => undefined)
      const { task_id } = task
      task = await (interruption.signal.aborted
        ? client.cancelTask({ task_id })
        : client.getTask({ task_id }))
    }
  } finally {
    ignoreInterrupts()
    if (stream.isTTY) stream.write('\r\x1b[K')
  }
  if (task.error) {
    const { error, code, details, issues = [] } = task.error
    throw new MedloomError(error, { http: ERRORS[code as ErrorCode]?.http ?? 500, code, details, issues })
  }
  if (task.state === 'completed') return task.result as RouteResponse<N>
  stream.write('canceled\n')
  return null
}

/** The progress, as a bar and in percent, and the phase. */
export function taskLine(
  { progress, phase }: Pick<BackgroundTask, 'progress' | 'phase'>,
  columns = 80,
): string {
  const line = `${bar(progress)} ${String(Math.round(100 * progress)).padStart(3)} %  ${phase}`
  return [...line].slice(0, columns - 1).join('')
}
