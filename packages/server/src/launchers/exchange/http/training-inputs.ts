import { readFile, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { PATH_KEYS, RUN_PATHS, TrainerSpec } from '@medloom/contracts'
import type { TaskPool } from '../../../ports/task-pool.js'
import type { RunDirectory } from '../../../storage/run-directory.js'
import { NamedImages, type NamedInFolder, type NamedTable } from '../../../workflows/sources/named-images.js'

/** The files and folders that a training may read. Paths are absolute. */
export interface TrainingInputs {
  /** Real paths of files that its configuration names, and of files and folders of the run from which it starts. */
  readonly own: readonly string[]
  /** The tables are read at the first call: nobody waits for a worker to get the training's own files. */
  inTables(): Promise<TableInputs>
}
export interface TableInputs {
  /** As written, without resolving links: files, and folders of series. */
  readonly images: ReadonlySet<string>
  /** The folders of these. */
  readonly folders: ReadonlySet<string>
}

/** Determines the files that trainings name: in their configuration and in their tables. */
export class TrainingInputsReader {
  readonly #images: NamedImages
  /** By the answer about the tables, which stays the same while they do not change. */
  readonly #known = new WeakMap<object, TableInputs>()

  constructor(pool: Pick<TaskPool, 'run'>) {
    this.#images = new NamedImages(pool)
  }

  async read(run: RunDirectory): Promise<TrainingInputs> {
    const spec = TrainerSpec.parse(JSON.parse(await readFile(run.spec, 'utf8')))
    let reading: Promise<TableInputs> | undefined
    return {
      own: await ownFiles(spec),
      inTables: () => {
        reading ??= this.#inTables(spec)
        return reading
      },
    }
  }

  async #inTables(spec: TrainerSpec): Promise<TableInputs> {
    const named = await this.#images.find(await tablesOf(spec), spec.config.data.image_columns ?? [])
    const known = this.#known.get(named) ?? placesOf(named.flat())
    this.#known.set(named, known)
    return known
  }
}

function placesOf(named: readonly NamedInFolder[]): TableInputs {
  return {
    images: new Set(named.flatMap(({ folder, names }) => names.map((name) => join(folder, name)))),
    folders: new Set(named.map(({ folder }) => folder)),
  }
}

async function tablesOf({ config }: TrainerSpec): Promise<NamedTable[]> {
  const { train_csv, val_csv, test_csv, image_root } = config.data
  const tables = [train_csv, val_csv, test_csv].filter((table) => table !== null)
  return Promise.all(
    tables.map(async (path) => {
      const base = image_root ?? dirname(path)
      return { path, image_root: await realpath(base).catch(() => base), format: null, encoding: null }
    }),
  )
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
