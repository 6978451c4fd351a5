import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { factsOf, isNodeType, NODES, type WorkflowNode } from '@medloom/contracts'
import type { SourceDigest } from '@medloom/workflow'
import { onceEach } from '../../concurrency/once-each.js'
import type { ServiceContext } from '../../context.js'
import type { DatasetSource } from './dataset-source.js'
import { FileDigests } from './file-digests.js'
import { filesOf } from './files-of.js'
import { namedFiles } from './tables/named-files.js'

/** Something outside the workflow to which a field of a node refers, and how it is read. */
interface Reading {
  readonly field: string
  readonly reads: 'path' | 'table' | 'dataset'
  readonly value: string
  readonly split: unknown
  readonly recursive: boolean
  readonly encoding: string
}

/**
 * Everything that a node reads from outside the workflow, as one digest: of contents, never of times, so that a file that was touched or
 * copied back counts as unchanged.
 */
export class SourceDigests {
  readonly #files: FileDigests

  constructor(
    private readonly context: Pick<ServiceContext, 'database' | 'roots'>,
    private readonly datasets: DatasetSource,
  ) {
    this.#files = new FileDigests(context.database)
  }

  /** @throws AppError for paths that do not exist or are not allowed. */
  readonly of: SourceDigest = (node, config) =>
    this.#seal(readingsOf(node, config), `nodes.${node.id}.config`)

  /** The same for many nodes at one time: a source that several of them read is read once. */
  readonly ofMany = (): SourceDigest => {
    const sealed = onceEach((readings: string) => this.#seal(JSON.parse(readings), 'nodes'))
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

  async #read({ reads, value, split, recursive, encoding }: Reading, field: string): Promise<string[]> {
    if (reads === 'dataset') return this.#dataset(value, split, field)
    const path = await this.context.roots.resolve(value, field)
    if (reads === 'path') return this.#path(path, recursive)
    return this.#table(path, dirname(path), encoding)
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
      roles: chosen,
    } = place
    const named = [label_columns, patient_column, ignore_columns, positive_class]
    // Without slices, times and roles, the digest equals that of older versions.
    const more = [
      ...(slices ? [slices] : []),
      ...(time_column ? [time_column, event_column] : []),
      ...(Object.keys(chosen).length > 0 ? [Object.entries(chosen).sort()] : []),
    ]
    const roles = JSON.stringify([...named, ...more])
    const isFolder = (await stat(place.path)).isDirectory()
    const folder = isFolder ? place.path : dirname(place.path)
    const tables = isFolder || split !== 'all' ? await tablesOf(folder) : []
    if (!isFolder && !tables.includes(place.path)) tables.push(place.path)
    const inFolder = isFolder ? await this.#path(place.path, true) : []
    const read: string[] = []
    for (const table of tables) read.push(...(await this.#table(table, place.image_root ?? folder, 'utf-8')))
    return [roles, basename(place.path), ...inFolder, ...read]
  }

  /** A table, and every file to which its cells may refer. */
  async #table(table: string, base: string, encoding: string): Promise<string[]> {
    const named = await namedFiles(table, base, encoding, this.context.roots.folders)
    const [digest, ...digests] = await this.#files.of([table, ...named])
    const images = named.flatMap((path, i) => [relative(base, path), digests[i] ?? ''])
    return [basename(table), digest ?? '', ...images]
  }

  /** A file, or every file of a folder with its name. */
  async #path(path: string, recursive: boolean): Promise<string[]> {
    if (!(await stat(path)).isDirectory()) return (await this.#files.of([path])).map((digest) => digest ?? '')
    const files = await filesOf(path, recursive, this.context.roots.folders)
    const digests = await this.#files.of(files)
    return files.flatMap((file, i) => [relative(path, file), digests[i] ?? ''])
  }
}

function readingsOf(
  { type }: Pick<WorkflowNode, 'type'>,
  config: Readonly<Record<string, unknown>>,
): readonly Reading[] {
  const { split, recursive, encoding } = config
  const how = { split, recursive: recursive !== false, encoding: String(encoding) }
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
