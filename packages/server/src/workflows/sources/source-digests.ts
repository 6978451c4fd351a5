import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { factsOf, isNodeType, NODES } from '@medloom/contracts'
import type { SourceDigest } from '@medloom/workflow'
import type { ServiceContext } from '../../context.js'
import { isInside } from '../../security/roots.js'
import type { DatasetSource } from './dataset-source.js'
import { FileDigests } from './file-digests.js'
import { imageCells } from './table-cells.js'

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
      const place = `nodes.${node.id}.config.${field}`
      const parts =
        reads === 'dataset'
          ? await this.#dataset(value, place)
          : await this.#path(await this.context.roots.resolve(value, place), config.recursive !== false)
      for (const part of [field, ...parts]) seal.update(`${Buffer.byteLength(part)}:${part}`)
    }
    return seal.digest('hex')
  }

  async #dataset(datasetId: string, field: string): Promise<string[]> {
    const { place } = await this.datasets.find(datasetId, field)
    const roles = JSON.stringify([place.label_column, place.patient_column])
    if ((await stat(place.path)).isDirectory()) return [roles, ...(await this.#path(place.path, true))]
    const base = place.image_root ?? dirname(place.path)
    const cells = (await imageCells(place.path)).sort()
    const images = cells.map((cell) => resolve(base, cell))
    const allowed = images.filter((path) => isInside(this.context.roots.folders, path))
    const [table, ...digests] = await this.#files.of([place.path, ...allowed])
    return [roles, table ?? '', ...allowed.flatMap((path, i) => [relative(base, path), digests[i] ?? ''])]
  }

  /** A file, or every file of a folder with its name. */
  async #path(path: string, recursive: boolean): Promise<string[]> {
    if (!(await stat(path)).isDirectory()) return (await this.#files.of([path])).map((digest) => digest ?? '')
    const entries = await readdir(path, { withFileTypes: true, recursive })
    const files = entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
    const digests = await this.#files.of(files)
    return files.flatMap((file, i) => [relative(path, file), digests[i] ?? ''])
  }
}
