import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type EvaluationResult, RUN_PATHS, runPath } from '@medloom/contracts'
import type { Database } from '../../packages/server/src/database/database.js'
import { ModelsRepository } from '../../packages/server/src/models/models.repository.js'
import { EVALUATION_FILE } from '../../packages/server/testing/models.js'
import { fillJobs } from './fill.js'

const HEADER =
  'file,row,split,patient,truth,predicted,correct,probability_benign,probability_malignant,loss,group_site'

/**
 * A model whose evaluation has a very large number of cases. Its document comes from tests, and its cases are generated: nothing in it was
 * measured, and it only shows how long the page takes. @returns id of the model
 */
export async function fillEvaluation(
  database: Database,
  { root, dataDir }: { root: string; dataDir: string },
  cases: number,
): Promise<string> {
  const [job_id = ''] = await fillJobs(database, root, 1)
  const models = new ModelsRepository(database)
  const [model] = (await models.list(1, undefined)).items
  if (!model) throw new Error('the job has no model')
  const evaluation_id = randomUUID()
  const folder = join(dataDir, 'runs', job_id, runPath('evaluation', { evaluation_id }))
  const csv = join(root, 'test.csv')
  const result = { ...documentOf(csv), num_cases: cases }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, basename(RUN_PATHS.evaluation_result)), JSON.stringify(result))
  writeFileSync(join(folder, basename(result.predictions)), predictions(csv, cases))
  const { split, num_patients, metrics, intervals } = result
  const { model_id } = model
  const record = { evaluation_id, model_id, split, num_cases: cases, num_patients, metrics, intervals }
  await models.addEvaluation(record, result.source)
  return model_id
}

function documentOf(csv: string): EvaluationResult {
  const read: EvaluationResult = JSON.parse(readFileSync(EVALUATION_FILE, 'utf8'))
  return { ...read, source: { ...read.source, csv }, failures: [] }
}

function predictions(csv: string, cases: number): string {
  const lines = Array.from({ length: cases }, (_, index) => {
    // Distributed over 0 to 1, with distant neighbors, and the same in every run.
    const probability = (index * 0.6180339887) % 1
    const positive = (0.5 + index * 0.7548776662) % 1 < 0.1 + 0.8 * probability
    const [truth, predicted] = [positive, probability >= 0.5].map((is) => (is ? 'malignant' : 'benign'))
    const loss = -Math.log(Math.max(1e-6, positive ? probability : 1 - probability))
    const numbers = [1 - probability, probability, loss].map((value) => value.toFixed(6))
    const site = 'ABC'[index % 3]
    return [
      csv,
      index + 2,
      'test',
      `p${index}`,
      truth,
      predicted,
      truth === predicted,
      ...numbers,
      site,
    ].join()
  })
  return [HEADER, ...lines, ''].join('\n')
}
