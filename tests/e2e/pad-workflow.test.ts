import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { hasPad, PAD, readRows } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { REPOSITORY, startService, temporaryFolder } from '../testing/service.js'
import { Workflows } from '../testing/workflow.js'

/** cancer is a synonym of the label, biopsed reveals it, lesion_id identifies the row, split repeats the file. */
const LEFT_OUT = ['cancer', 'biopsed', 'lesion_id', 'split']

/** The tables of PAD without the columns that must not be used for training, and with absolute image paths. */
function tables(folder: string): void {
  mkdirSync(folder)
  for (const part of ['train', 'val', 'test']) {
    const [header = [], ...rows] = readRows(join(PAD, `${part}.csv`))
    const image = header.indexOf('image')
    const indexes = header.flatMap((name, i) => (LEFT_OUT.includes(name) ? [] : [i]))
    const lines = [
      header,
      ...rows.map((row) => row.map((cell, i) => (i === image ? join(PAD, cell) : cell))),
    ].map((row) => indexes.map((i) => row[i]).join(','))
    writeFileSync(join(folder, `${part}.csv`), `${lines.join('\n')}\n`)
  }
}

it.skipIf(!hasPad)(
  'a workflow written by hand runs on real photos and patient histories, from the table to the report (needs PAD-UFES-20 beside the checkout)',
  { tags: ['full'] },
  async () => {
    const root = temporaryFolder('pad')
    tables(join(root, 'pad'))
    const service = await startService({ roots: [root, PAD] })
    try {
      const workflows = new Workflows(new Caller(service.url))
      const file = readFileSync(join(REPOSITORY, 'tests/testing/pad-workflow.json'), 'utf8')
      const { nodes } = await workflows.succeed(JSON.parse(file))
      const tested = readRows(join(PAD, 'test.csv')).length - 1
      expect(nodes['test-data']?.outputs.dataset?.summary).toContain(`${tested} cases`)
      const predictions = readRows(join(service.dataDir, 'outputs/predictions.csv'))
      expect(predictions).toHaveLength(tested + 1)
      const report = nodes.report?.outputs.report_path
      expect(report?.type).toBe('path')
    } finally {
      await service.stop()
      for (const folder of [root, service.dataDir]) rmSync(folder, { recursive: true, force: true })
    }
  },
)
