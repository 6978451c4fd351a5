import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openDatabase } from '../src/database/database.js'
import { registerModel, type StoredModel } from '../src/models/models.repository.js'
import { migratedFile } from './migrated-file.js'
import { configOf, EVALUATION_FILE, insertJob, modelOf, writeCheckpoint } from './models.js'
import { startTestService, testSettings } from './service.js'
import { workerProgram } from './worker-program.js'

/** The result that the worker of `serviceWithModels` returns, as the trainer writes it. */
export const RESULT = JSON.parse(readFileSync(EVALUATION_FILE, 'utf8'))

/**
 * A service with two models that can be evaluated: `resnet18_gated_001` and `_002`, or those of `kinds`. Its worker writes RESULT, and also
 * runs `program` (JavaScript; `request.params`, `reply`, `result`, `fs`).
 */
export async function serviceWithModels(program = '', kinds: readonly Partial<StoredModel>[] = [{}, {}]) {
  const settings = testSettings()
  const root = settings.roots[0] ?? ''
  writeFileSync(join(root, 'test.csv'), 'label\n')
  writeFileSync(join(root, 'other.csv'), 'label\n')
  const python = workerProgram(
    root,
    `if (request.task !== 'evaluate') return
     const result = JSON.parse(fs.readFileSync(${JSON.stringify(EVALUATION_FILE)}, 'utf8'))
     result.source.digest = request.params.csv.endsWith('other.csv') ? 'b' : 'a'
     result.split = request.params.split
     ${program}
     fs.writeFileSync(request.params.out_dir + '/evaluation.json', JSON.stringify(result))
     reply({ type: 'result', id: request.id, result })`,
  )
  mkdirSync(settings.dataDir)
  const database = await openDatabase(await migratedFile(join(settings.dataDir, 'medloom.db')))
  const config = configOf({ test_csv: join(root, 'test.csv') })
  const jobs: string[] = []
  const models: string[] = []
  for (const kind of kinds) {
    const job = await insertJob(database, config)
    jobs.push(job)
    models.push(
      await database.transaction().execute((transaction) => registerModel(transaction, modelOf(job, kind))),
    )
  }
  for (const [index, job] of jobs.entries())
    await database
      .updateTable('jobs')
      .set({ model_id: models[index] ?? null })
      .where('job_id', '=', job)
      .execute()
  await database.destroy()
  const service = await startTestService({ ...settings, python })
  const run = (job: string | undefined, ...path: string[]) =>
    join(service.settings.dataDir, 'runs', job ?? '', ...path)
  for (const job of jobs) writeCheckpoint(run(job, 'checkpoints', 'best'), job, 2)
  return {
    ...service,
    jobs,
    run,
    get: async (url: string) => (await service.app.inject({ url })).json(),
    evaluate: async (model: string, payload: object = {}) =>
      (await service.app.inject({ method: 'POST', url: `/api/models/${model}/evaluate`, payload })).json(),
    /** Writes a file of a run, and creates its folders. */
    write(file: string, content: string | Uint8Array) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
    },
  }
}
