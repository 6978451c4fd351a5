import { expect, it } from 'vitest'
import { checkPaths } from './config-paths.js'

it('allows a folder as the table of a training only with a recipe', async () => {
  const asked: string[] = []
  const roots = {
    resolve: async (path: string) => path,
    resolveTable: async (path: string, place: string, kind = 'table') => {
      asked.push(`${place} ${kind}`)
      return path
    },
  }
  await checkPaths({ data: { train_csv: 'folder', recipe: { version: 1 } } }, roots)
  await checkPaths({ data: { train_csv: 'a.csv', recipe: null } }, roots)
  await checkPaths({ data: { train_csv: 'a.csv' } }, roots)
  expect(asked).toEqual([
    'config.data.train_csv dataset',
    'config.data.train_csv table',
    'config.data.train_csv table',
  ])
})
