import { createHash } from 'node:crypto'
import { appendFile, mkdir, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { type Workflow, writeWorkflow } from '@medloom/contracts'
import { AppError } from '../../errors.js'
import { isInside } from '../../security/roots.js'
import { writeTextAtomically } from '../../storage/files.js'

const FOLDERS = ['checkpoints', 'logs', 'metrics', 'reports', 'artifacts', 'cache'] as const

/** The folder of a workflow: its definition and the outputs of its runs. */
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
    await Promise.all(FOLDERS.map((name) => mkdir(join(this.path, name), { recursive: true, mode: 0o700 })))
  }

  async save(workflow: Workflow): Promise<void> {
    await this.create()
    await writeTextAtomically(join(this.path, 'workflow.json'), writeWorkflow(workflow))
  }

  /** One line per message, each with its time. */
  async append(lines: readonly string[]): Promise<void> {
    await appendFile(this.log, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 })
  }

  /**
   * Where an output goes: a relative path, or `fallback` when none is named, inside `folder`; an absolute one inside the roots.
   * `place` is how FilesContent names it. @throws AppError PATH_NOT_ALLOWED
   */
  async output(
    requested: string | null,
    fallback: string,
    folder: 'artifacts' | 'reports' = 'artifacts',
  ): Promise<{ path: string; place: string }> {
    const base = join(this.path, folder)
    if (requested?.includes('\0')) throw new AppError('PATH_NOT_ALLOWED', 'the output path contains a NUL')
    if (requested !== null && isAbsolute(requested)) {
      const path = await realPlace(resolve(requested))
      if (!isInside(this.roots, path))
        throw new AppError('PATH_NOT_ALLOWED', 'the output path is outside the folders that may be written')
      return { path, place: path }
    }
    const path = resolve(base, requested ?? fallback)
    if (path !== base && !path.startsWith(base + sep))
      throw new AppError('PATH_NOT_ALLOWED', `the output path leaves the folder "${folder}" of the project`)
    return { path, place: relative(this.path, path).split(sep).join('/') }
  }
}

/** Symbolic links on the way are followed, so that none leads out; the end of the path need not exist yet. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(await realPlace(above), basename(path))
  }
}

/** A name that any file system takes: what is unusual is replaced, and a digest keeps such names apart. */
export function safeName(id: string): string {
  const plain = id.replaceAll(/[^\w.-]/g, '_').slice(0, 80)
  return plain === id && !/^\.+$/.test(id)
    ? id
    : `${plain}-${createHash('sha256').update(id).digest('hex').slice(0, 8)}`
}
