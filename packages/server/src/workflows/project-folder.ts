import { appendFile, mkdir } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { type Workflow, writeWorkflow } from '@medloom/contracts'
import { AppError } from '../errors.js'
import { isInside } from '../security/roots.js'
import { writeTextAtomically } from '../storage/files.js'

const FOLDERS = ['checkpoints', 'logs', 'metrics', 'reports', 'artifacts', 'cache'] as const

/** The folder of a workflow: its definition, and what its runs leave for people. */
export class ProjectFolder {
  readonly log: string

  constructor(
    readonly path: string,
    /** Real paths; outputs may be written inside them too. */
    private readonly roots: readonly string[],
  ) {
    this.log = join(path, 'logs', 'training.log')
  }

  async create(): Promise<void> {
    for (const name of FOLDERS) await mkdir(join(this.path, name), { recursive: true, mode: 0o700 })
  }

  async save(workflow: Workflow): Promise<void> {
    await this.create()
    await writeTextAtomically(join(this.path, 'workflow.json'), writeWorkflow(workflow))
  }

  /** One line per message; the time leads. */
  async append(lines: readonly string[]): Promise<void> {
    await appendFile(this.log, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 })
  }

  /**
   * Where an output goes: a relative path, or `fallback` when none is named, inside `folder`; an absolute one inside the roots.
   * `place` is how FilesContent names it. @throws AppError PATH_NOT_ALLOWED
   */
  output(
    requested: string | null,
    fallback: string,
    folder: 'artifacts' | 'reports' = 'artifacts',
  ): { path: string; place: string } {
    const base = join(this.path, folder)
    if (requested?.includes('\0')) throw new AppError('PATH_NOT_ALLOWED', 'the output path contains a NUL')
    if (requested !== null && isAbsolute(requested)) {
      const path = resolve(requested)
      if (!isInside(this.roots, path))
        throw new AppError('PATH_NOT_ALLOWED', 'the output path lies outside the folders that may be written')
      return { path, place: path }
    }
    const path = resolve(base, requested ?? fallback)
    if (path !== base && !path.startsWith(base + sep))
      throw new AppError('PATH_NOT_ALLOWED', `the output path leaves the folder "${folder}" of the project`)
    return { path, place: relative(this.path, path).split(sep).join('/') }
  }
}
