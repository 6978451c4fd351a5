import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { type FieldFacts, factsOf, isNodeType, NODES, type WorkflowNode } from '@medloom/contracts'
import type { SourceDigest } from '@medloom/workflow'
import { forEachLimit } from '../../concurrency/for-each-limit.js'
import { memoize } from '../../concurrency/memoize.js'
import type { ServiceContext } from '../../context.js'
import { readableTables } from '../../storage/readable-tables.js'
import type { DatasetSource } from './dataset-source.js'
import { FileDigests } from './file-digests.js'
import { filesOf } from './files-of.js'
import type { ModelSource, RegisteredModel } from './model-source.js'
import { NamedImages, type NamedTable, pathsInside } from './named-images.js'

/** Something outside the workflow to which a field of a node refers, and how it is read. */
interface Reading {
  readonly field: string
  readonly reads: NonNullable<FieldFacts['reads']>
  readonly value: string
  readonly split: unknown
  readonly recursive: boolean
  readonly format: string | null
  readonly encoding: string
}

const MAX_CONCURRENT_FOLDERS = 32

/**
 * Everything that a node reads from outside the workflow, as one digest: of contents, never of times, so that a file that was touched or
 * copied back counts as unchanged.
 */
export class SourceDigests {
  readonly #files: FileDigests
  readonly #images: NamedImages

  constructor(
    private readonly context: Pick<ServiceContext, 'database' | 'roots' | 'pool'>,
    private readonly datasets: DatasetSource,
    private readonly models: Pick<ModelSource, 'find'>,
  ) {
    this.#files = new FileDigests(context.database)
    this.#images = new NamedImages(context.pool)
  }

  /** @throws AppError for paths that do not exist or are not allowed, or if no worker reads a table. */
  readonly digest: SourceDigest = (node, config) =>
    this.#seal(readingsOf(node, config), `nodes.${node.id}.config`)

  /** The same for many nodes at one time: a source that several of them read is read once. */
  readonly ofMany = (): SourceDigest => {
    const sealed = memoize((readings: string) => this.#seal(JSON.parse(readings), 'nodes'))
    return (node, config) => sealed(JSON.stringify(readingsOf(node, config)))
  }

  async #seal(readings: readonly Reading[], place: string): Promise<string> {
    const seal = createHash('sha256')
    for (const reading of readings) {
      const parts = await this.#read(reading, `${place}.${reading.field}`)
      for (const part of [reading.field, ...parts]) seal.update(`${Buffer.byteLength(part)}:${part}`)
    }
    return seal.digest('hex')
  }

  async #read(
    { reads, value, split, recursive, format, encoding }: Reading,
    field: string,
  ): Promise<string[]> {
    if (reads === 'dataset') return this.#dataset(value, split, field)
    if (reads === 'model') return partsOf(await this.models.find(value))
    const path = await this.context.roots.resolve(value, field)
    if (reads === 'path') return this.#path(path, recursive)
    return this.#tables([{ path, image_root: dirname(path), format, encoding }], [])
  }

  /**
   * The tables that may be read, and the images that they name. For a split that is not in one file, the trainer reads the file next to it;
   * only the trainer decides which one, so all of them count.
   */
  async #dataset(datasetId: string, split: unknown, field: string): Promise<string[]> {
    const { place } = await this.datasets.find(datasetId, field)
    const {
      label_columns,
      patient_column,
      ignore_columns,
      positive_class,
      slices,
      time_column,
      event_column,
      recipe,
      roles: chosen,
    } = place
    const named = [label_columns, patient_column, ignore_columns, positive_class]
    // Without slices, times, roles and a recipe, the digest equals that of older versions.
    const more = [
      ...(slices ? [slices] : []),
      ...(time_column ? [time_column, event_column] : []),
      ...(Object.keys(chosen).length > 0 ? [Object.entries(chosen).sort()] : []),
      ...(recipe ? [recipe] : []),
    ]
    const roles = JSON.stringify([...named, ...more])
    const isFolder = (await stat(place.path)).isDirectory()
    const folder = isFolder ? place.path : dirname(place.path)
    const image_root = place.image_root ?? folder
    if (recipe) return [roles, basename(place.path), ...(await this.#everything([folder, image_root]))]
    const tables = isFolder || split !== 'all' ? await tablesOf(folder) : []
    if (!isFolder && !tables.includes(place.path)) tables.push(place.path)
    const inFolder = isFolder ? await this.#path(place.path, true) : []
    const read = await this.#tables(
      tables.map((path) => ({ path, image_root, format: null, encoding: null })),
      Object.keys(chosen).filter((column) => chosen[column] === 'image'),
    )
    return [roles, basename(place.path), ...inFolder, ...read]
  }

  /** A recipe may read every table and image of these folders; only the trainer decides which. */
  async #everything(folders: readonly string[]): Promise<string[]> {
    const parts: string[] = []
    for (const folder of new Set(folders)) {
      const tables = await readableTables(folder)
      const digests = await this.#files.digests(tables)
      parts.push(...tables.flatMap((table, index) => [basename(table), digests[index] ?? '']))
      parts.push(...(await this.#path(folder, true)))
    }
    return parts
  }

  /** Tables, and the images that their cells name. */
  async #tables(tables: readonly NamedTable[], imageColumns: readonly string[]): Promise<string[]> {
    const named = tables.length > 0 ? await this.#images.find(tables, imageColumns) : []
    const parts: string[] = []
    for (const [index, { path, image_root }] of tables.entries()) {
      const [digest] = await this.#files.digests([path])
      const images = await pathsInside(this.context.roots.folders, named[index] ?? [])
      parts.push(basename(path), digest ?? '', ...(await this.#imageParts(images, image_root)))
    }
    return parts
  }

  /** Existing files with their names, those of a series with the name of each; by name. */
  async #imageParts(paths: readonly string[], base: string): Promise<string[]> {
    const found = new Map<string, string>()
    const missing = await this.#addDigests(found, paths)
    const inSeries: string[] = []
    await forEachLimit(MAX_CONCURRENT_FOLDERS, missing, async (path) => {
      inSeries.push(...(await filesOf(path, false, this.context.roots.folders)))
    })
    await this.#addDigests(found, inSeries)
    return [...found.keys()].sort().flatMap((path) => [relative(base, path), found.get(path) ?? ''])
  }

  /** @returns the paths that are not files. */
  async #addDigests(found: Map<string, string>, paths: readonly string[]): Promise<string[]> {
    const digests = await this.#files.digests(paths)
    return paths.filter((path, index) => {
      const digest = digests[index] ?? null
      if (digest !== null) found.set(path, digest)
      return digest === null
    })
  }

  /** A file, or every file of a folder with its name. */
  async #path(path: string, recursive: boolean): Promise<string[]> {
    if (!(await stat(path)).isDirectory())
      return (await this.#files.digests([path])).map((digest) => digest ?? '')
    const files = await filesOf(path, recursive, this.context.roots.folders)
    const digests = await this.#files.digests(files)
    return files.flatMap((file, i) => [relative(path, file), digests[i] ?? ''])
  }
}

/** The training, whose cases are recorded, and the content of every file of the checkpoint. */
function partsOf({ model, manifest }: RegisteredModel): string[] {
  const files = Object.entries(manifest.files).sort(([a], [b]) => (a < b ? -1 : 1))
  return [model.job_id, ...files.flatMap(([part, { sha256 }]) => [part, sha256])]
}

function readingsOf(
  { type }: Pick<WorkflowNode, 'type'>,
  config: Readonly<Record<string, unknown>>,
): readonly Reading[] {
  const { split, recursive, format = null, encoding } = config
  const how = {
    split,
    recursive: recursive !== false,
    format: format === null ? null : String(format),
    encoding: String(encoding),
  }
  const shape = isNodeType(type) ? NODES[type].config.shape : {}
  return Object.entries(shape).flatMap(([field, schema]) => {
    const value = config[field]
    const { reads } = factsOf(schema)
    return reads && typeof value === 'string' ? [{ field, reads, value, ...how }] : []
  })
}

async function tablesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries
    .filter(({ name }) => /^[^.].*\.csv$/i.test(name))
    .map(({ name }) => join(folder, name))
    .sort()
}
