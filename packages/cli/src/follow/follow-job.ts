import type { MedloomClient } from '@medloom/client/node'
import { isTerminal, type JobMessage } from '@medloom/contracts'
import { JOB_STATUS_MILLISECONDS, SILENCE_MILLISECONDS } from '../durations.js'
import { EXIT } from '../exit-codes.js'
import { plainValues } from '../terminal/plain-values.js'
import { printJsonLine } from '../terminal/print.js'
import { terminal } from '../terminal/terminal.js'
import { howToContinue, type ProgressStream, ProgressView } from './progress-view.js'

export interface FollowOptions {
  readonly json?: boolean
  readonly since?: number
  readonly signal?: AbortSignal
  readonly stream?: ProgressStream
}

/** Show a job until it ends. Returns the terminal message, or null when `signal` aborted or the job had ended before `since`. */
export async function followJob(
  client: MedloomClient,
  jobId: string,
  { json = false, since, signal, stream = terminal().stdout }: FollowOptions = {},
): Promise<JobMessage | null> {
  const view = new ProgressView(plainValues(await client.getJobStatus({ job_id: jobId })), stream)
  let lastMessage = 0
  let warned = json
  const askStatus = async () => {
    if (Date.now() - lastMessage < SILENCE_MILLISECONDS) return
    const job = await client.getJobStatus({ job_id: jobId }).catch(() => null)
    if (job && !isTerminal(job.status) && Date.now() - lastMessage >= SILENCE_MILLISECONDS)
      view.waiting(plainValues(job))
  }
  const asking = json ? undefined : setInterval(askStatus, JOB_STATUS_MILLISECONDS)
  try {
    const messages = client.watch(jobId, {
      ...(since === undefined ? {} : { since }),
      ...(signal ? { signal } : {}),
      onConnection: (state) => {
        if (!json) view.note(state === 'lost' ? 'Connection lost; reconnecting …' : 'Reconnected.')
      },
    })
    for await (const message of messages) {
      lastMessage = Date.now()
      if (!warned && message.type !== 'stalled') {
        // The preparation is over; the status contains its warnings.
        const job = await client.getJobStatus({ job_id: jobId }).catch(() => null)
        view.warn(plainValues(job?.prepared?.warnings ?? []))
        warned = job !== null
      }
      if (json) printJsonLine(message)
      else view.show(plainValues(message))
      if (message.type === 'completed' || message.type === 'error') return message
    }
    return null
  } finally {
    clearInterval(asking)
    view.end()
  }
}

/** Follow a job for a command: Ctrl-C stops following, not the job; the exit status depends on the end of the job. */
export async function followAsCommand(
  client: MedloomClient,
  jobId: string,
  options: { json?: boolean; since?: number },
): Promise<number> {
  const interruption = new AbortController()
  const ignoreInterrupts = terminal().onInterrupt(() => interruption.abort())
  try {
    const last = await followJob(client, jobId, { ...options, signal: interruption.signal })
    if (interruption.signal.aborted) {
      terminal().stderr.write(`${howToContinue(jobId)}\n`)
      return EXIT.interrupted
    }
    return last ? exitOfMessage(last) : exitOfStatus((await client.getJobStatus({ job_id: jobId })).status)
  } finally {
    ignoreInterrupts()
  }
}

function exitOfMessage(message: JobMessage): number {
  if (message.type === 'completed') return exitOfStatus(message.status)
  return EXIT.failed
}

function exitOfStatus(status: string): number {
  if (status === 'completed') return EXIT.ok
  return status === 'stopped' ? EXIT.stopped : EXIT.failed
}
