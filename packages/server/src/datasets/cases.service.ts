import {
  type CasesPage,
  type CasesPreview,
  DataConfig,
  type Dataset,
  type DatasetPlace,
  type Distribution,
  type ImageInfo,
  type LeaksFound,
  MOST_COLUMNS,
  MOST_PAIRS,
  type Pictures,
  PREVIEW_CASES,
  type PreviewCasesRequest,
  phrase,
  type RouteRequest,
} from '@medloom/contracts'
import type { z } from 'zod'
import type { ServiceContext } from '../context.js'
import { AppError } from '../errors.js'
import { Bytes } from '../http/bind.js'
import { readOffset, tokenAfter } from '../http/pagination.js'
import type { TaskOptions, TaskParams } from '../ports/task-pool.js'
import type { TaskReads } from '../ports/total-seconds.js'
import type { ColumnReader, DatasetsService } from './datasets.service.js'
import { sizeOf } from './file-state.js'

type Query<N extends 'listCases' | 'getDistribution' | 'getImage'> = RouteRequest<N>['query']
type ImageParams = RouteRequest<'getImage'>['params']
type View = TaskParams<'images'>['view']

/** Pictures per task: several processes share a large request. */
const PICTURES_OF_TASK = 15

/**
 * Cases and images of a dataset, read by the trainer's reader in a worker. A running task continues after its caller disconnects, because
 * the processes stay warm; a waiting one is not started.
 */
export class CasesService {
  constructor(
    private readonly context: Pick<ServiceContext, 'folder' | 'pool' | 'roots'>,
    private readonly datasets: Pick<DatasetsService, 'get' | 'unregistered'>,
  ) {}

  /** @throws AppError DATASET_NOT_FOUND, FILTER_INVALID, COLUMN_NOT_FOUND, or an error of the reader */
  async cases(datasetId: string, query: Query<'listCases'>, waits: AbortSignal): Promise<CasesPage> {
    const offset = readOffset(query.page_token)
    const record = await this.#dataset(datasetId)
    const found = await this.context.pool.run(
      'cases',
      {
        dataset: this.#placeOf(record),
        split: query.split ?? null,
        class: query.class ?? null,
        patient: query.patient ?? null,
        lines: query.line ?? null,
        filter: query.filter ?? null,
        order_by: query.order_by ?? null,
        descending: query.order === 'desc',
        columns: query.columns ?? null,
        most_columns: MOST_COLUMNS,
        identifiers: query.identifiers === 'true',
        offset,
        limit: query.page_size,
      },
      { waits, reads: await readsOfTable(record) },
    )
    return { ...found, next_page_token: tokenAfter(offset, query.page_size, found.total) }
  }

  /** @throws AppError DATASET_NOT_FOUND, COLUMN_NOT_FOUND, or an error of the reader */
  async distribution(
    datasetId: string,
    { column, bins, top }: Query<'getDistribution'>,
    waits: AbortSignal,
  ): Promise<Distribution> {
    const record = await this.#dataset(datasetId)
    const params = { dataset: this.#placeOf(record), column, bins, top }
    return this.context.pool.run('distribution', params, { waits, reads: await readsOfTable(record) })
  }

  /** @throws AppError DATASET_NOT_FOUND, IMAGE_NOT_FOUND, IMAGES_UNREADABLE */
  async image({ dataset_id, row, image }: ImageParams, query: Query<'getImage'>, waits: AbortSignal) {
    const record = await this.#dataset(dataset_id)
    const params = { dataset: this.#placeOf(record), images: [{ row, image }], view: viewOf(record, query) }
    const { pictures } = await this.context.pool.run('images', params, { waits })
    const { picture, problem } = pictures[0] ?? { picture: null, problem: null }
    if (problem)
      throw new AppError(problem.code, { english: problem.message, phrases: problem.message_phrases })
    if (!picture) throw new AppError('TRAINER_FAILED', phrase('worker_returned_no_image'))
    return new Bytes(Buffer.from(picture.data, 'base64'), picture.media_type)
  }

  /** @throws AppError DATASET_NOT_FOUND, IMAGE_NOT_FOUND, IMAGES_UNREADABLE */
  async info({ dataset_id, row, image }: ImageParams, waits: AbortSignal): Promise<ImageInfo> {
    const record = await this.#dataset(dataset_id)
    const params = { dataset: this.#placeOf(record), image: { row, image }, data: readingOf(record) }
    return this.context.pool.run('image_info', params, { waits })
  }

  /** @throws AppError DATASET_NOT_FOUND, or an error of the reader */
  async leaks(datasetId: string, options: TaskOptions): Promise<LeaksFound> {
    const record = await this.#dataset(datasetId)
    const params = { dataset: this.#placeOf(record), data: readingOf(record), most_pairs: MOST_PAIRS }
    const columns = record.columns.filter(({ role }) => role === 'image').length
    const reads = { ...(await readsOfTable(record)), images: record.num_cases * Math.max(1, columns) }
    return this.context.pool.run('leaks', params, { ...options, reads })
  }

  /** @throws AppError TASK_NOT_FOUND, FORBIDDEN, or an error of the reader */
  async preview(
    request: z.output<typeof PreviewCasesRequest>,
    reader: ColumnReader,
    signal: AbortSignal,
  ): Promise<CasesPreview> {
    const found = await this.datasets.unregistered(request, reader, signal)
    const { rows, images, columns, size } = PREVIEW_CASES
    const params = {
      dataset: this.#placeOf({ ...found, recipe: request.recipe }),
      ...{ rows, most_images: images, most_columns: columns, view: asDisplayed(size) },
    }
    return this.context.pool.run('preview_cases', params, {
      waits: signal,
      reads: { bytes: await sizeOf(found.path), images: rows * images },
    })
  }

  /** In the order of the rows. @throws AppError DATASET_NOT_FOUND */
  async thumbnails(
    datasetId: string,
    { rows, image, size }: RouteRequest<'listThumbnails'>['body'],
    waits: AbortSignal,
  ): Promise<Pictures> {
    const dataset = this.#placeOf(await this.#dataset(datasetId))
    const view = asDisplayed(size)
    const parts = Array.from({ length: Math.ceil(rows.length / PICTURES_OF_TASK) }, (_, part) =>
      rows.slice(part * PICTURES_OF_TASK, (part + 1) * PICTURES_OF_TASK),
    )
    const made = await Promise.all(
      parts.map((some) =>
        this.context.pool.run(
          'images',
          { dataset, images: some.map((row) => ({ row, image })), view },
          { waits },
        ),
      ),
    )
    return { pictures: made.flatMap(({ pictures }) => pictures) }
  }

  /** The record with its paths, checked against the current roots. */
  async #dataset(datasetId: string): Promise<Dataset> {
    const { roots } = this.context
    const record = await this.datasets.get(datasetId)
    const imageRoot = record.image_root ?? null
    return {
      ...record,
      path: await roots.resolve(record.path, 'path', 'dataset'),
      image_root: imageRoot === null ? null : await roots.resolve(imageRoot, 'image_root', 'folder'),
    }
  }

  #placeOf({
    path,
    image_root,
    columns,
    classes,
    task,
    recipe,
  }: Pick<Dataset, 'path' | 'image_root' | 'columns' | 'classes' | 'task' | 'recipe'>): DatasetPlace {
    return {
      path,
      image_root: image_root ?? null,
      roles: Object.fromEntries(columns.map(({ name, role }) => [name, role])),
      classes: task === 'classification' ? (classes?.map(({ name }) => name) ?? null) : null,
      roots: [...this.context.roots.folders],
      cache_dir: this.context.folder.cache,
      ...(recipe ? { recipe } : {}),
    }
  }
}

/** An image as displayed to people, at most `size` pixels wide and high; null: in its own size. */
export function asDisplayed(size: number | null): View {
  return { size, slice: null, axis: 'axial', window: null, model: null, view: 1 }
}

/** Sizes from which the time limit of a task that reads the whole table is computed. */
async function readsOfTable({ path }: Dataset): Promise<TaskReads> {
  return { bytes: await sizeOf(path) }
}

/** Default image settings of a training on this dataset. */
function readingOf({ slices }: Dataset) {
  const usual = DataConfig.pick({ image_size: true, window: true, slices: true }).parse({})
  return { ...usual, slices: slices ?? usual.slices }
}

/** @throws AppError INVALID_REQUEST for half of a window or of a size, and for a slice together with the model's view */
function viewOf(record: Dataset, query: Query<'getImage'>): View {
  const { window_center: center, window_width: width, image_width, image_height } = query
  refuseHalf('window_center', center, 'window_width', width)
  refuseHalf('image_width', image_width, 'image_height', image_height)
  const window = center === undefined || width === undefined ? null : { center, width }
  if (query.as === 'image')
    return {
      size: query.size ?? null,
      slice: query.slice ?? null,
      axis: query.axis,
      window,
      model: null,
      view: 1,
    }
  const reading = readingOf(record)
  const image_size: [number, number] =
    image_width === undefined || image_height === undefined ? reading.image_size : [image_width, image_height]
  const model = { ...reading, image_size, window: window ?? reading.window }
  return { size: null, slice: null, axis: 'axial', window: null, model, view: query.view }
}

function refuseHalf(one: string, first: unknown, other: string, second: unknown): void {
  if ((first === undefined) === (second === undefined)) return
  throw new AppError(
    'INVALID_REQUEST',
    phrase('set_together', { first: one, second: other }),
    phrase('set_both_or_none'),
  )
}
