import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { storedConfig } from '@medloom/contracts'
import { Caller } from '../testing/http.js'
import { Workflows } from '../testing/workflow.js'
import { evaluate, type Filled, newestConfig } from './fill.js'

type Body = Record<string, unknown>

/** Lists of the service, the key of their items, and the subresources of each item. */
const LISTS = [
  ['training', 'jobs', 'job_id', ['/status', '/metrics', '/events', '/logs', '/checkpoints', '/files']],
  ['models', 'models', 'model_id', ['', '/checkpoints', '/evaluations']],
  ['evaluations', 'evaluations', 'evaluation_id', ['', '/cases']],
  ['datasets', 'datasets', 'dataset_id', ['']],
  ['workflow', 'workflows', 'workflow_id', ['', '/status', '/runs', '/revisions', '/export']],
  ['studies', 'studies', 'study_id', ['', '/results']],
] as const

/** Opens every listed item. @returns number of responses, and the failures */
export async function openAll(url: string): Promise<{ opened: number; failures: string[] }> {
  const caller = new Caller(url)
  const failures: string[] = []
  let opened = 0
  const open = async (path: string): Promise<Body> => {
    try {
      const { status, body } = await caller.get<Body>(path)
      if (status === 200) opened++
      else failures.push(`GET ${path}: ${status} ${body.code}: ${body.details}`)
      return body
    } catch (error) {
      failures.push(`GET ${path}: ${(error as Error).message}`)
      return (await new Caller(url, false).get<Body>(path)).body
    }
  }
  for (const [name, key, id, below] of LISTS) {
    const items = ((await open(`/api/${name}`))[key] ?? []) as Body[]
    if (items.length === 0 && !['datasets', 'studies'].includes(name))
      failures.push(`/api/${name} lists nothing`)
    // An evaluation that its version stored without a document is listed as such.
    const documents = items.filter(({ has_document }) => has_document !== false)
    for (const item of documents) for (const path of below) await open(`/api/${name}/${item[id]}${path}`)
  }
  return { opened, failures }
}

/** Evaluates each model again, and compares its predictions. */
export async function comparePredictions(
  url: string,
  { evaluated }: Filled,
  dataset: string,
): Promise<string[]> {
  const caller = new Caller(url)
  const failures: string[] = []
  for (const [model_id, report] of Object.entries(evaluated)) {
    const { body } = await caller.get<Body>(`/api/models/${model_id}`)
    const again = await evaluate(caller, body as never, join(dataset, 'test.csv'))
    failures.push(...differences(model_id, predictionsBeside(report), predictionsBeside(again)))
  }
  return failures
}

/** The saved workflow, recomputed from its start, trains with its original settings; later keys have their earlier behavior. */
export async function runAgain(url: string, { workflow, trained }: Filled): Promise<string[]> {
  const caller = new Caller(url)
  const workflows = new Workflows(caller)
  const { workflow: saved } = await workflows.get(workflow)
  const { status, nodes } = await workflows.run(workflow, { force: saved.nodes.map(({ id }) => id) }, 300)
  if (status !== 'success') return [`the saved workflow ends with ${status}: ${JSON.stringify(nodes)}`]
  const now = await newestConfig(caller)
  const before = storedConfig(trained) as typeof trained
  return (['data', 'model', 'training'] as const).flatMap((section) =>
    Object.entries(before[section] ?? {}).flatMap(([key, value]) => {
      const [was, is] = [value, now[section]?.[key]].map((one) => JSON.stringify(one ?? null))
      // Tables created by a run have generated names; table data has no slices, and displayed information does not change a model.
      const isExpected =
        key.endsWith('_csv') || ['operating_points', 'conformal', 'compile', 'slices'].includes(key)
      return was === is || isExpected ? [] : [`${section}.${key}: ${was} → ${is}`]
    }),
  )
}

function predictionsBeside(report: string): string {
  const folder = dirname(report)
  const path = ['predictions.csv', '../predictions.csv']
    .map((name) => join(folder, name))
    .find((one) => existsSync(one))
  if (!path) throw new Error(`there are no predictions beside ${report}`)
  return readFileSync(path, 'utf8')
}

/** Later columns are not compared; earlier columns must have the same text, to the last digit. */
export function differences(what: string, earlier: string, later: string): string[] {
  const [old, now] = [tableOf(earlier), tableOf(later)]
  const lost = old.columns.filter((column) => !now.columns.includes(column))
  const compared = old.columns.filter((column) => now.columns.includes(column))
  const different = compared.filter((column) => old.cells(column).join('\n') !== now.cells(column).join('\n'))
  return [
    ...lost.map((column) => `${what}: column ${column} is gone`),
    ...different.map((column) => {
      const [a, b] = [old.cells(column), now.cells(column)]
      const index = a.findIndex((cell, row) => cell !== b[row])
      return `${what}: ${column} differs, first in row ${index + 1}: ${a[index]} → ${b[index]} (${a.length} and ${b.length} rows)`
    }),
  ]
}

/** A table without quoted separators, like prediction tables. */
function tableOf(text: string) {
  const [head = '', ...rows] = text.trimEnd().split(/\r?\n/)
  const columns = head.split(',')
  const cells = (column: string) => rows.map((row) => row.split(',')[columns.indexOf(column)] ?? '')
  return { columns, cells }
}
