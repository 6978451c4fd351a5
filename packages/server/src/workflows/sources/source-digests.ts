import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { factsOf, isNodeType, NODES } from '@medloom/contracts'
import type { SourceDigest } from '@medloom/workflow'
import type { ServiceContext } from '../../context.js'
import type { DatasetSource } from './dataset-source.js'
import { FileDigests } from './file-digests.js'
import { filesOf } from './files-of.js'
import { namedFiles } from './tables/named-files.js'

/**
 * What a node reads from outside the workflow, as one digest: of contents, never of times, so that a file that was touched or
 * copied back is the same file.
 */
export class SourceDigests {
  readonly #files: FileDigests

  constructor(
    private readonly context: Pick<ServiceContext, 'database' | 'roots'>,
    private readonly datasets: DatasetSource,
  ) {
    this.#files = new FileDigests(context.database)
  }

  /** @throws AppError for what is not there or not allowed. */
  readonly of: SourceDigest = async (node, config) => {
    const definition = isNodeType(node.type) ? NODES[node.type] : undefined
    const seal = createHash('sha256')
    for (const [field, schema] of Object.entries(definition?.config.shape ?? {})) {
      const value = config[field]
      const { reads } = factsOf(schema)
      if (!reads || typeof value !== 'string') continue
      const parts = await this.#read(reads, value, config, `nodes.${node.id}.config.${field}`)
      for (const part of [field, ...parts]) seal.update(`${Buffer.byteLength(part)}:${part}`)
    }
    return seal.digest('hex')
  }

  async #read(
    reads: 'path' | 'table' | 'dataset',
    value: string,
    config: Readonly<Record<string, unknown>>,
    field: string,
  ): Promise<string[]> {
    if (reads === 'dataset') return this.#dataset(value, config.split, field)
    const path = await this.context.roots.resolve(value, field)
    if (reads === 'path') return this.#path(path, config.recursive !== false)
    return this.#table(path, dirname(path), String(config.encoding))
  }

  /**
   * The tables that may be read, and the images that they name. Of a split that one file does not hold, the trainer reads the file
   * beside it; which one is the trainer's to say, so all of them count.
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
    } = place
    const named = [label_columns, patient_column, ignore_columns, positive_class]
    // Without slices and times of its own, the digest that older versions gave.
    const more = [...(slices ? [slices] : []), ...(time_column ? [time_column, event_column] : [])]
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

  /** A table, and every file that its cells may name. */
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

async function tablesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries
    .filter(({ name }) => /^[^.].*\.csv$/i.test(name))
    .map(({ name }) => join(folder, name))
    .sort()
}
