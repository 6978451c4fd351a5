import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CaseQuery } from '@medloom/contracts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Request } from './handle-request.js'

const SOURCE = {
  task: 'classification',
  classes: ['benign', 'malignant'],
  positive_class: 'malignant',
  predictions: 'predictions.csv',
}
const PREDICTIONS = `file,row,split,patient,truth,predicted,probability_benign,probability_malignant
/a/test.csv,2,test,p1,benign,benign,0.8,0.2
/a/test.csv,3,test,p2,malignant,benign,0.6,0.4
`
const QUERY: CaseQuery = { order_by: 'row', order: 'desc', identifiers: 'false' }

let folder: string
const inside = (name: string) => join(folder, name)
const written = () => ({ file: inside('evaluation.json'), images: inside('images.json'), attempt: null })
const caseRequest = () => ({ ...written(), query: QUERY, offset: 0, size: 50 })
const storedFiles = () =>
  readdirSync(inside('cache'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())

/** Like a service that has just started, with nothing in memory. */
async function afresh(request: Request) {
  vi.resetModules()
  return (await import('./handle-request.js')).handleRequest(request, inside('cache'))
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'case-tables-'))
  writeFileSync(inside('evaluation.json'), JSON.stringify(SOURCE))
  writeFileSync(inside('predictions.csv'), PREDICTIONS)
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a prepared table answers the first query, with the same result as a new one', async () => {
  const lazily = await afresh(caseRequest())
  rmSync(inside('cache'), { recursive: true })
  expect(await afresh(written())).toBeNull()
  expect(storedFiles()).toHaveLength(1)
  // The source files are not read again.
  rmSync(inside('predictions.csv'))
  expect(lazily).toMatchObject({ total: 2, cases: [{ row: 3 }, { row: 2 }] })
  expect(await afresh(caseRequest())).toEqual(lazily)
})

test('another document, or a damaged file, causes a new table', async () => {
  await afresh(written())
  writeFileSync(inside('predictions.csv'), PREDICTIONS.split('\n').slice(0, 2).join('\n'))
  writeFileSync(inside('evaluation.json'), JSON.stringify({ ...SOURCE, positive_class: null }))
  expect(await afresh(caseRequest())).toMatchObject({ total: 1 })
  for (const { parentPath, name } of storedFiles()) writeFileSync(join(parentPath, name), 'half')
  expect(await afresh(caseRequest())).toMatchObject({ total: 1 })
})

test('each model of a comparison has a separate table', async () => {
  const columns = ['A', 'B'].flatMap((name) =>
    ['predicted', 'probability_benign', 'probability_malignant'].map((column) => `${name}: ${column}`),
  )
  writeFileSync(
    inside('predictions.csv'),
    `file,row,split,truth,${columns}\n/a/test.csv,2,test,benign,benign,0.8,0.2,malignant,0.3,0.7\n`,
  )
  await afresh({ ...written(), models: ['A', 'B'] })
  expect(storedFiles()).toHaveLength(2)
})

test('nothing is made where the cache folder was', async () => {
  const { writeCachedTable } = await import('./case-table-cache.js')
  const cases = join(inside('data'), 'cache', 'browse', 'cases')
  await writeCachedTable(cases, 'key', 'seen', {} as never)
  expect(readdirSync(folder)).not.toContain('data')
  mkdirSync(inside('data/cache'), { recursive: true })
  await writeCachedTable(cases, 'key', 'seen', {} as never)
  expect(readdirSync(cases)).toHaveLength(1)
})
