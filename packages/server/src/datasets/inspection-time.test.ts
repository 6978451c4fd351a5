import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testSettings } from '../../testing/service.js'
import type { TaskOptions } from '../ports/task-pool.js'
import { DatasetsService } from './datasets.service.js'

test('the worker receives the size of the table, for its total time', async () => {
  const [folder = ''] = testSettings().roots
  writeFileSync(join(folder, 'a.csv'), 'age,label\n40,yes\n')
  const service = new DatasetsService(
    {
      roots: { folders: [folder], resolve: async (path: string) => join(folder, path) },
      pool: { run: async (_task: string, _params: unknown, options: TaskOptions) => options.reads?.bytes },
    } as never,
    { found: async () => null as never },
  )
  const sizes = ['a.csv', '.', 'none.csv'].map((path) => service.inspect({ path } as never, {}))
  expect(await Promise.all(sizes)).toEqual([17, 0, 0])
})
