import { randomUUID } from 'node:crypto'
import { OWNED, type Owned } from '@medloom/contracts'
import type { Database } from '../src/database/database.js'
import type { Announcements } from '../src/files/announcements.js'
import { insertJob } from './models.js'

const NOW = '2026-01-01T00:00:00.000Z'

/** Insert one item of each kind that has an owner. @returns their names in the addresses of routes */
export async function insertOwned(
  database: Database,
  announcements: Announcements,
  owner: string | null,
): Promise<Readonly<Record<Owned, string>>> {
  const [study_id, dataset_id, task_id, workflow_id, upload_id, model_id, prediction_id] = OWNED.map(() =>
    randomUUID(),
  )
  if (!study_id || !dataset_id || !task_id || !workflow_id || !upload_id || !model_id || !prediction_id)
    throw new Error('there are fewer kinds than ids')
  const follow_up_id = randomUUID()
  const job = await insertJob(database)
  await database.updateTable('jobs').set({ owner }).where('job_id', '=', job).execute()
  const shared = { owner, created_at: NOW }
  await database
    .insertInto('models')
    .values({ model_id, job_id: job, record: JSON.stringify({ model_id, job_id: job }), created_at: NOW })
    .execute()
  const alias = `a-${model_id}`
  await database
    .insertInto('alias_moves')
    .values({ alias, number: 1, model_id, set_by: owner, set_at: NOW })
    .execute()
  await database
    .insertInto('studies')
    .values({
      ...{ ...shared, study_id, name: 's', status: 'running', message: '', config: '{}', digests: '{}' },
      ...{ metric: 'val_auc', reference: 'a' },
    })
    .execute()
  await database
    .insertInto('datasets')
    .values({ ...shared, dataset_id, path: `/${dataset_id}`, record: '{}' })
    .execute()
  await database
    .insertInto('tasks')
    .values({ ...shared, task_id, route: 'inspectDataset', request: '{}', state: 'running', progress: 0 })
    .execute()
  await database
    .insertInto('prediction_files')
    .values({ ...shared, prediction_id, name: 'predictions.csv' })
    .execute()
  await database
    .insertInto('follow_ups')
    .values({ ...shared, follow_up_id, name: 'f', model_id, silent: 0, window_days: 30 })
    .execute()
  await insertWorkflow(database, workflow_id, owner)
  await announcements.add({ upload_id, owner, folder: 'a', path: upload_id, size_bytes: 1 })
  return {
    ...{ job, study: study_id, model: model_id, alias, dataset: dataset_id, task: task_id },
    ...{ workflow: workflow_id, workflow_run: workflow_id, upload: upload_id },
    ...{ prediction: prediction_id, follow_up: follow_up_id },
  }
}

/** A workflow with a run. */
async function insertWorkflow(database: Database, workflow_id: string, owner: string | null): Promise<void> {
  const digest = randomUUID()
  await database.insertInto('workflow_documents').values({ digest, document: '{}' }).execute()
  const shared = { workflow_id, revision: 1, document_digest: digest, owner, created_at: NOW }
  await database
    .insertInto('workflows')
    .values({ ...shared, name: 'w', description: '', tags: '[]', num_nodes: 0, updated_at: NOW })
    .execute()
  await database
    .insertInto('workflow_runs')
    .values({
      ...{ ...shared, run_id: randomUUID(), status: 'running', progress: 0, force: '[]', attempt: 1 },
    })
    .execute()
}
