import { readFile } from 'node:fs/promises'
import type { WorkflowRunLog } from '@medloom/contracts'
import { rotatedFiles } from '../../storage/rotating-log.js'
import { type ProjectFolder, RUN_IN_LOG } from '../project/project-folder.js'

/** First line of a log message: its time, and the first characters of the run id. */
const BEGINNING = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) ([0-9a-f]{8}) (.*)$/

/** The last messages of one run in the log of its workflow, oldest first. */
export async function readRunLog(
  project: ProjectFolder,
  runId: string,
  limit: number,
): Promise<Pick<WorkflowRunLog, 'lines' | 'truncated'>> {
  const texts = await Promise.all(
    rotatedFiles(project.log.path, project.log.limit)
      .reverse()
      .map((path) => readFile(path, 'utf8').catch(() => '')),
  )
  const lines: { time: string; message: string }[] = []
  let isOfRun = false
  for (const text of texts.join('').split('\n')) {
    const [, time, run, message] = BEGINNING.exec(text) ?? []
    if (time !== undefined && message !== undefined) {
      isOfRun = run === runId.slice(0, RUN_IN_LOG)
      if (isOfRun) lines.push({ time, message })
    } else if (isOfRun && text !== '') {
      const last = lines.at(-1)
      if (last) last.message += `\n${text}`
    }
  }
  return { lines: lines.slice(-limit), truncated: lines.length > limit }
}
