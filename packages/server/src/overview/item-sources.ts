import {
  type DatasetSummary,
  type ItemKind,
  type JobSummary,
  type Model,
  type RunRecord,
  SNAPSHOT_ITEMS,
  type StudySummary,
} from '@medloom/contracts'
import type { DatasetsRepository } from '../datasets/datasets.repository.js'
import { withFileState } from '../datasets/file-state.js'
import type { ModelsRepository } from '../models/models.repository.js'
import type { StudyReader } from '../studies/study-reader.js'
import type { JobReader } from '../training/job-reader.js'
import type { RunsRepository } from '../workflows/runs/runs.repository.js'

export type Item = JobSummary | RunRecord | StudySummary | Model | DatasetSummary

/** Items of one kind, as lists show them. */
export interface ItemSource<Of extends Item> {
  /** The newest items and all running ones. */
  newest(): Promise<Of[]>
  /** The existing ones of these ids. */
  find(ids: readonly string[]): Promise<Of[]>
}

export interface ItemReaders {
  readonly jobs: Pick<JobReader, 'newest' | 'summaries'>
  readonly runs: RunsRepository
  readonly studies: StudyReader
  readonly models: ModelsRepository
  readonly datasets: DatasetsRepository
}

export type ItemSources = ReturnType<typeof itemSources>

export function itemSources({ jobs, runs, studies, models, datasets }: ItemReaders) {
  return {
    job: {
      newest: () => jobs.newest(SNAPSHOT_ITEMS),
      find: (ids) => jobs.summaries(ids),
    } satisfies ItemSource<JobSummary>,
    run: {
      newest: () => runs.records(SNAPSHOT_ITEMS),
      find: (ids) => runs.records(ids.length, ids),
    } satisfies ItemSource<RunRecord>,
    study: {
      newest: async () => (await studies.list(SNAPSHOT_ITEMS, undefined, {})).studies,
      find: (ids) => studies.summaries(ids),
    } satisfies ItemSource<StudySummary>,
    model: {
      newest: async () => (await models.list(SNAPSHOT_ITEMS, undefined)).items,
      find: (ids) => each(ids, (id) => models.find(id)),
    } satisfies ItemSource<Model>,
    dataset: {
      newest: async () =>
        Promise.all((await datasets.list(SNAPSHOT_ITEMS, undefined)).items.map(withFileState)),
      find: async (ids) => Promise.all((await datasets.summaries(ids)).map(withFileState)),
    } satisfies ItemSource<DatasetSummary>,
  } satisfies Record<ItemKind, unknown>
}

async function each<Of>(
  ids: readonly string[],
  find: (id: string) => Promise<Of | undefined>,
): Promise<Of[]> {
  const found: Of[] = []
  for (const id of ids) {
    const item = await find(id)
    if (item) found.push(item)
  }
  return found
}
