import {
  after,
  type Dataset,
  type DatasetSummary,
  type EditDatasetRequest,
  type Inspection,
  type InspectRequest,
  listed,
  type PreviewCasesRequest,
  type ProposalRequest,
  phrase,
  type RecipeProposal,
  type RegisterRequest,
  type Removal,
} from '@medloom/contracts'
import type { z } from 'zod'
import type { ServiceContext } from '../context.js'
import { AppError } from '../errors.js'
import type { Page } from '../http/pagination.js'
import type { TaskOptions } from '../ports/task-pool.js'
import { Removals } from '../removal/removals.js'
import { workflowsLoading } from '../removal/uses.repository.js'
import type { Actor } from '../security/actor.js'
import { DatasetsRepository, type Registrant } from './datasets.repository.js'
import { markOf, sizeOf, withFileState } from './file-state.js'
import type { Inspections } from './inspections.js'
import { choosesShown, refuseUnmasking } from './protected-columns.js'

/** Inspects and registers a CSV or a folder. The Python worker reads it and returns counts, never patient data. */
export class DatasetsService {
  private readonly repository: DatasetsRepository
  private readonly removals: Removals

  constructor(
    private readonly context: Pick<ServiceContext, 'database' | 'folder' | 'log' | 'pool' | 'roots'>,
    private readonly inspections: Pick<Inspections, 'found'>,
  ) {
    this.repository = new DatasetsRepository(context.database)
    this.removals = new Removals(context)
  }

  /** @throws AppError PATH_NOT_ALLOWED, FILE_NOT_FOUND, or an error of the reader: CSV_MALFORMED, COLUMN_NOT_FOUND, … */
  async inspect(request: z.output<typeof InspectRequest>, options: TaskOptions): Promise<Inspection> {
    const { roots, pool } = this.context
    const path = await this.#resolve(request.path)
    const imageRoot = await this.imageRootOf(request)
    const params = {
      path,
      image_root: imageRoot,
      label_column: request.label_column ?? null,
      label_columns: request.label_columns ?? null,
      time_column: request.time_column ?? null,
      event_column: request.event_column ?? null,
      patient_column: request.patient_column ?? null,
      positive_class: request.positive_class ?? null,
      slices: request.slices ?? null,
      roles: request.roles ?? {},
      ignore_columns: request.ignore_columns ?? [],
      recipe: request.recipe ?? null,
      roots: [...roots.folders],
    }
    return pool.run('inspect', params, { ...options, reads: { bytes: await sizeOf(path) } })
  }

  /** @throws AppError PATH_NOT_ALLOWED, FILE_NOT_FOUND, or an error of the reader: DATASET_INVALID, CSV_MALFORMED, … */
  async propose(request: z.output<typeof ProposalRequest>, options: TaskOptions): Promise<RecipeProposal> {
    const path = await this.#resolve(request.path)
    const params = {
      path,
      label_column: request.label_column ?? null,
      patient_column: request.patient_column ?? null,
      no_patient_column: request.patient_column === null,
      rows_rule: request.rows_rule ?? null,
      decisions: request.decisions ?? {},
      roots: [...this.context.roots.folders],
    }
    return this.context.pool.run('propose_recipe', params, {
      ...options,
      reads: { bytes: await sizeOf(path) },
    })
  }

  /**
   * A path is one dataset: registering it again inspects it again and updates the record under the same id, so that lists have no
   * duplicates and an id stays valid.
   * @throws AppError TASK_NOT_FOUND; FORBIDDEN if another user has registered the path, or if this would show columns that `reader` must
   * not see; and the errors of `inspect`
   */
  async register(
    { name, report, inspection, ...request }: z.output<typeof RegisterRequest>,
    registrant: Registrant,
    reader: ColumnReader,
    signal: AbortSignal,
  ): Promise<Dataset> {
    const known = inspection === undefined ? null : await this.inspections.found(inspection, request)
    const { found, files_mark } = known
      ? { found: known, files_mark: await markOf(known.path, request.recipe) }
      : await this.inspectMarked(request, { signal })
    if (!reader.identifiers) await this.#refuseUnmasking(request, found, reader, signal)
    return this.repository.save(
      found,
      { name, report },
      {
        image_root: await this.imageRootOf(request),
        roles: chosenBy(request),
        ignore_columns: ignoredBy(chosenBy(request)),
        positive_class_named: request.positive_class !== undefined,
        slices: request.slices ?? null,
        ...(request.recipe ? { recipe: request.recipe } : {}),
        ...(files_mark === null ? {} : { files_mark }),
      },
      registrant,
    )
  }

  /**
   * The inspection of data that are not registered yet, and the folder of their images.
   * @throws AppError as in `register`
   */
  async unregistered(
    { inspection, ...request }: z.output<typeof PreviewCasesRequest>,
    reader: ColumnReader,
    signal: AbortSignal,
  ): Promise<Inspection & { readonly image_root: string | null }> {
    const found =
      (await this.inspections.found(inspection, request)) ?? (await this.inspect(request, { signal }))
    if (!reader.identifiers) await this.#refuseUnmasking(request, found, reader, signal)
    return { ...found, image_root: await this.imageRootOf(request) }
  }

  /** The dataset registered with this real path. */
  findByPath(path: string): Promise<Dataset | undefined> {
    return this.repository.findByPath(path)
  }

  /**
   * A new path, new roles or a new positive class cause another inspection of the files. Trainings that have already read them are not affected.
   * @throws AppError DATASET_NOT_FOUND; DATASET_EXISTS; FORBIDDEN if this would show columns that `reader` must not see; and the errors of `inspect`
   */
  async edit(
    datasetId: string,
    change: EditDatasetRequest,
    reader: ColumnReader,
    options: TaskOptions,
  ): Promise<Dataset> {
    const { name, note, ...inspecting } = change
    const before = await this.get(datasetId)
    const isInspected = Object.values(inspecting).some((value) => value !== undefined)
    const inspected = isInspected ? await this.inspectedAgain(before, inspecting, reader, options) : {}
    const edited = await this.repository.edit(datasetId, {
      ...inspected,
      ...(name === undefined ? {} : { name }),
      ...(note === undefined ? {} : { note }),
    })
    if (!edited) throw unknownDataset()
    return withFileState(edited)
  }

  /** Compared with the registered columns, or with those inferred without any choice. */
  async #refuseUnmasking(
    request: z.output<typeof InspectRequest>,
    found: Inspection,
    reader: ColumnReader,
    signal?: AbortSignal,
  ): Promise<void> {
    const chosen = chosenBy(request)
    const registered = await this.repository.findByPath(found.path)
    if (!registered && !choosesShown(chosen)) return
    const { path, image_root, slices, recipe } = request
    const plain = {
      path,
      ...(image_root ? { image_root } : {}),
      ...(slices ? { slices } : {}),
      ...(recipe ? { recipe } : {}),
    }
    const { columns } = registered ?? (await this.inspect(plain, signal ? { signal } : {}))
    refuseUnmasking(columns, found.columns, chosen, reader)
  }

  private async inspectedAgain(
    before: Dataset,
    change: Omit<EditDatasetRequest, 'name' | 'note'>,
    reader: ColumnReader,
    options: TaskOptions,
  ): Promise<Partial<Dataset>> {
    const { slices, time_column, event_column, positive_class } = before
    const { path = before.path, image_root = before.image_root, roles = chosenOf(before) } = change
    const recipe = change.recipe === undefined ? before.recipe : change.recipe
    const previous = before.positive_class_named ? positive_class : null
    const named = change.positive_class === undefined ? previous : change.positive_class
    const request = {
      path,
      roles,
      ...(image_root ? { image_root } : {}),
      ...(slices ? { slices } : {}),
      ...(recipe ? { recipe } : {}),
      ...(time_column && event_column ? { time_column, event_column } : {}),
      ...(named ? { positive_class: named } : {}),
    }
    const registration = {
      image_root: await this.imageRootOf(request),
      roles,
      ignore_columns: ignoredBy(roles),
      positive_class_named: Boolean(named),
      ...(recipe === undefined ? {} : { recipe }),
    }
    await this.repository.refuseTaken(await this.#resolve(path), before.dataset_id)
    const { found, files_mark } = await this.inspectMarked(request, options)
    if (change.roles || change.path) refuseUnmasking(before.columns, found.columns, roles, reader)
    if (change.path && !reader.identifiers)
      await this.#refuseUnmasking(request, found, reader, options.signal)
    return { ...found, ...registration, ...(files_mark === null ? {} : { files_mark }) }
  }

  /** The mark is taken before the files are read, so that a change in between is detected. */
  private async inspectMarked(request: z.output<typeof InspectRequest>, options: TaskOptions) {
    const files_mark = await markOf(await this.#resolve(request.path), request.recipe)
    return { found: await this.inspect(request, options), files_mark }
  }

  #resolve(path: string): Promise<string> {
    return this.context.roots.resolve(path, 'path', 'dataset')
  }

  private async imageRootOf({ image_root }: z.output<typeof InspectRequest>): Promise<string | null> {
    return image_root === undefined ? null : this.context.roots.resolve(image_root, 'image_root', 'folder')
  }

  /** @throws AppError DATASET_NOT_FOUND */
  async get(datasetId: string): Promise<Dataset> {
    const dataset = await this.repository.find(datasetId)
    if (!dataset) throw unknownDataset()
    return withFileState(dataset)
  }

  /**
   * Remove the registration; the user's files are not touched.
   * @throws AppError DATASET_NOT_FOUND, DATASET_IN_USE when a saved workflow loads it by its id.
   */
  remove(datasetId: string, dryRun: boolean): Promise<Removal> {
    return this.removals.remove(
      dryRun,
      async (transaction) => {
        const dataset = await this.repository.find(datasetId, transaction)
        if (!dataset) throw unknownDataset()
        const users = await workflowsLoading(transaction, datasetId)
        if (users.length > 0) throw inUse(users)
        const lost = phrase('lost_registration', { dataset: dataset.name, path: dataset.path })
        return { id: datasetId, folders: [], lost: [lost] }
      },
      (transaction) => this.repository.remove(datasetId, transaction),
    )
  }

  async list(size: number, token: string | undefined, owner?: string): Promise<Page<DatasetSummary>> {
    const page = await this.repository.list(size, token, owner)
    return { ...page, items: await Promise.all(page.items.map(withFileState)) }
  }
}

/** The user who would see the columns of a dataset. */
export type ColumnReader = Pick<Actor, 'user' | 'identifiers'>

type ChosenRoles = NonNullable<Dataset['roles']>

/** A role that a request sets by a separate key also counts as chosen; the times of survival are not roles. */
function chosenBy(request: z.output<typeof InspectRequest>): ChosenRoles {
  const { label_column, label_columns = [], patient_column, ignore_columns = [], roles = {} } = request
  const labels = label_column === undefined ? label_columns : [label_column]
  return {
    ...Object.fromEntries(ignore_columns.map((column) => [column, 'ignored' as const])),
    ...Object.fromEntries(labels.map((column) => [column, 'label' as const])),
    ...(patient_column === undefined ? {} : { [patient_column]: 'patient' as const }),
    ...roles,
  }
}

/** For a record without chosen roles: its label and patient columns stay. */
function chosenOf({ roles, columns, time_column, ignore_columns = [] }: Dataset): ChosenRoles {
  if (roles) return roles
  const entries = columns.flatMap(({ name, role }): [string, 'label' | 'patient'][] =>
    role === 'patient' || (role === 'label' && !time_column) ? [[name, role]] : [],
  )
  return {
    ...Object.fromEntries(ignore_columns.map((name) => [name, 'ignored' as const])),
    ...Object.fromEntries(entries),
  }
}

function ignoredBy(roles: ChosenRoles): string[] {
  return Object.entries(roles).flatMap(([column, role]) => (role === 'ignored' ? [column] : []))
}

/** Maximum number of workflows in a message. */
const NAMED = 5

function inUse(users: readonly { workflow_id: string; name: string }[]): AppError {
  const named = listed(users.slice(0, NAMED).map(({ workflow_id, name }) => `"${name}" (${workflow_id})`))
  const others =
    users.length > NAMED ? [after('space', phrase('and_more', { count: users.length - NAMED }))] : []
  return new AppError('DATASET_IN_USE', phrase('loaded_by', { workflows: [...named, ...others] }))
}

function unknownDataset(): AppError {
  return new AppError('DATASET_NOT_FOUND', phrase('dataset_unknown'))
}
