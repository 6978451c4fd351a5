import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Workflow, writeWorkflow } from '@medloom/contracts'
import { writeTextAtomically } from '../../storage/files.js'
import { makeFolder } from '../../storage/own-folder.js'
import { type LogLimit, RotatingLog } from '../../storage/rotating-log.js'

const FOLDERS = ['checkpoints', 'logs', 'metrics', 'reports', 'artifacts', 'cache'] as const

/** One log for all runs of the workflow. */
const LOG_LIMIT: LogLimit = { bytes: 2_000_000, files: 5 }

/** Number of characters of the run id at the start of its log lines, after the time. */
export const RUN_IN_LOG = 8

/** The folder of a workflow: its definition and the outputs of its runs. */
export class ProjectFolder {
  readonly log: RotatingLog

  constructor(readonly path: string) {
    this.log = new RotatingLog(join(path, 'logs', 'training.log'), LOG_LIMIT)
  }

  async create(): Promise<void> {
    await Promise.all(FOLDERS.map((name) => makeFolder(join(this.path, name))))
  }

  async save(workflow: Workflow): Promise<void> {
    await this.create()
    await writeTextAtomically(join(this.path, 'workflow.json'), writeWorkflow(workflow))
  }

  /** One line per message, each with its time. */
  async append(lines: readonly string[]): Promise<void> {
    await this.log.append(lines.map((line) => `${line}\n`).join(''))
  }
}

/** A name that is valid on any file system: unusual characters are replaced, and a digest keeps such names distinct. */
export function safeName(id: string): string {
  const plain = id.replaceAll(/[^\w.-]/g, '_').slice(0, 80)
  return plain === id && !/^\.+$/.test(id)
    ? id
    : `${plain}-${createHash('sha256').update(id).digest('hex').slice(0, 8)}`
}
