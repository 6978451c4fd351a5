import type { MedloomClient } from '@medloom/client/node'
import type { StudyStatus } from '@medloom/contracts'
import { EXIT } from '../exit-codes.js'
import { shortId } from '../terminal/format.js'
import { plainValues } from '../terminal/plain-values.js'
import { printJsonLine } from '../terminal/print.js'
import { terminal } from '../terminal/terminal.js'
import type { ProgressStream } from './progress-view.js'
import { StudyView } from './study-view.js'

export interface FollowStudyOptions {
  readonly json?: boolean
  readonly stream?: ProgressStream
}

/** Follow a study until it ends; Ctrl-C stops following, not the study. Returns the exit status of the command. */
export async function followStudy(
  client: MedloomClient,
  studyId: string,
  { json = false, stream = terminal().stdout }: FollowStudyOptions = {},
): Promise<number> {
  const view = new StudyView(stream)
  const interruption = new AbortController()
  const ignoreInterrupts = terminal().onInterrupt(() => interruption.abort())
  try {
    const messages = client.watchStudy(studyId, {
      signal: interruption.signal,
      onConnection: (state) => {
        if (!json) view.note(state === 'lost' ? 'Connection lost; reconnecting …' : 'Reconnected.')
      },
    })
    for await (const message of messages) {
      if (json) printJsonLine(message)
      else view.show(plainValues(message))
    }
    if (interruption.signal.aborted) {
      view.end()
      terminal().stderr.write(`${howToContinue(studyId)}\n`)
      return EXIT.interrupted
    }
    const study = await client.getStudy({ study_id: studyId })
    if (!json) view.end(plainValues(study))
    return exitOfStudy(study.status)
  } finally {
    ignoreInterrupts()
    view.end()
  }
}

export function exitOfStudy(status: StudyStatus): number {
  if (status === 'completed' || status === 'running') return EXIT.ok
  return status === 'stopped' ? EXIT.stopped : EXIT.failed
}

function howToContinue(studyId: string): string {
  const id = shortId(studyId)
  return `The study continues. Follow it: medloom study status ${id} --watch   Stop it: medloom study stop ${id}`
}
