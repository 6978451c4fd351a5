import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { PATH_KEYS, RUN_PATHS, TrainerSpec } from '@medloom/contracts'
import type { RunDirectory } from '../../../storage/run-directory.js'
import { namedFiles } from '../../../workflows/sources/tables/named-files.js'

/** Number of cached sets of files, most recently used. Trainings on the same tables share one. */
const MAX_REMEMBERED = 16
const REMEMBERED_MILLISECONDS = 10 * 60_000

/** The files and folders that a training may read. Paths are absolute. */
export interface NamedByTraining {
  /** Real paths of files that its configuration names, and of files and folders of the run from which it starts. */
  readonly own: readonly string[]
  /** Files that its tables name, and their parent folders: as written, without resolving links. */
  readonly files: ReadonlySet<string>
  readonly folders: ReadonlySet<string>
}

type Named = Pick<NamedByTraining, 'files' | 'folders'>
interface Source {
  readonly table: string
  /** Folder to which its cells are relative. */
  readonly base: string
}

/** Determines the files that trainings name: in their configuration and in their tables. */
export class NamedByTrainings {
  readonly #remembered = new Map<
    string,
    { readonly named: Promise<Named>; readonly forget: NodeJS.Timeout }
  >()

  /** @param roots folders in which cells of tables may name files. */
  constructor(private readonly roots: readonly string[]) {}

  async of(run: RunDirectory): Promise<NamedByTraining> {
    const spec = TrainerSpec.parse(JSON.parse(await readFile(run.spec, 'utf8')))
    const sources = await sourcesOf(spec)
    const own = await ownFiles(spec)
    const { files, folders } = await this.#inTables(sources)
    return { own, files, folders: new Set([...folders, ...own.map((path) => dirname(path))]) }
  }

  /** Changed tables are read again. */
  async #inTables(sources: readonly Source[]): Promise<Named> {
    const marks = await Promise.all(sources.map(({ table }) => marksOf(table)))
    const key = JSON.stringify([sources, marks])
    const known = this.#remembered.get(key)
    if (known) clearTimeout(known.forget)
    const named = known?.named ?? readTables(sources, this.roots)
    const forget = setTimeout(() => this.#remembered.delete(key), REMEMBERED_MILLISECONDS).unref()
    this.#remembered.delete(key)
    this.#remembered.set(key, { named, forget })
    this.#forgetOldest()
    return named
  }

  #forgetOldest(): void {
    const [oldest] = this.#remembered
    if (!oldest || this.#remembered.size <= MAX_REMEMBERED) return
    clearTimeout(oldest[1].forget)
    this.#remembered.delete(oldest[0])
  }
}

async function sourcesOf({ config }: TrainerSpec): Promise<Source[]> {
  const { train_csv, val_csv, test_csv, image_root } = config.data
  const tables = [train_csv, val_csv, test_csv].filter((table) => table !== null)
  return Promise.all(
    tables.map(async (table) => {
      const base = image_root ?? dirname(table)
      return { table, base: await realpath(base).catch(() => base) }
    }),
  )
}

async function readTables(sources: readonly Source[], roots: readonly string[]): Promise<Named> {
  const files = new Set<string>()
  for (const { table, base } of sources)
    for (const file of await namedFiles(table, base, 'auto', roots)) files.add(file)
  const folders = new Set<string>()
  for (const file of files) folders.add(dirname(file))
  return { files, folders }
}

/** The folder of images is not included: a training reads only the images that its tables name. */
async function ownFiles(spec: TrainerSpec): Promise<string[]> {
  const config = spec.config as unknown as Record<string, Record<string, unknown>>
  const named = PATH_KEYS.flatMap(({ section, key, kind }) => {
    const value = config[section]?.[key]
    if (kind === 'folder' || typeof value !== 'string' || !isAbsolute(value)) return []
    return kind === 'checkpoint' ? filesOfStart(value) : [value]
  })
  const resumed = spec.resume_from === null ? [] : filesOfStart(spec.resume_from)
  return Promise.all([...named, ...resumed].map((path) => realpath(path).catch(() => path)))
}

/** A checkpoint in checkpoints/<name> of its run, and the other files of that run that a training started from it reads. */
function filesOfStart(checkpoint: string): string[] {
  const checkpoints = dirname(checkpoint)
  const run = dirname(checkpoints)
  return [
    checkpoint,
    join(checkpoints, 'best'),
    join(run, RUN_PATHS.epochs),
    join(run, RUN_PATHS.known_cases),
    join(run, RUN_PATHS.baselines),
  ]
}

async function marksOf(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null)
  return found && `${found.size} ${found.mtimeNs} ${found.ino}`
}
