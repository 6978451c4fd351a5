import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readRows } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { PYTHON } from '../testing/service.js'
import { shared } from '../testing/shared.js'
import { explain, statuses, Workflows, workflow } from '../testing/workflow.js'

const workflows = new Workflows(new Caller(shared.url))

function copyOfDataset(name: string): { folder: string; header: string[]; rows: string[][] } {
  const folder = join(dirname(shared.dataset), name)
  cpSync(shared.dataset, folder, { recursive: true })
  const [header = [], ...rows] = readRows(join(folder, 'train.csv'))
  return { folder, header, rows }
}

async function ends(id: string): Promise<Record<string, string>> {
  const { nodes } = await workflows.run(id)
  expect(explain(nodes)).toBe('')
  return statuses(nodes)
}

describe('a table that names images', () => {
  const asSheet = `import csv, openpyxl, sys
book = openpyxl.Workbook()
for row in csv.reader(open(sys.argv[1], encoding="utf-8")): book.active.append(row)
book.save(sys.argv[2])`
  it.each<[string, object, (folder: string, header: string[], rows: string[][]) => void]>([
    [
      'table.txt',
      { format: 'CSV', encoding: 'utf-16' },
      (folder, header, rows) => {
        const text = [header, ...rows].map((row) => row.join(';')).join('\r\n')
        writeFileSync(join(folder, 'table.txt'), Buffer.from(`\uFEFF${text}`, 'utf16le'))
      },
    ],
    [
      'table.json',
      {},
      (folder, header, rows) => {
        const records = rows.map((row) => Object.fromEntries(row.map((cell, i) => [header[i], cell])))
        writeFileSync(join(folder, 'table.json'), JSON.stringify(records))
      },
    ],
    [
      'table.xlsx',
      {},
      (folder) => {
        execFileSync(PYTHON, ['-c', asSheet, join(folder, 'train.csv'), join(folder, 'table.xlsx')])
      },
    ],
  ])('%s is read again when one of them changes in place', async (name, config, write) => {
    const { folder, header, rows } = copyOfDataset(`names-images-${name}`)
    write(folder, header, rows)
    // load ─► some      everything below sees the other pixels too
    const id = await workflows.create(
      workflow(
        {
          load: ['LoadTabular', { path: join(folder, name), ...config }],
          some: ['FilterData', { filter_condition: 'age >= 0' }],
        },
        ['load.dataframe > some.dataset'],
      ),
    )
    expect(await ends(id)).toEqual({ load: 'success', some: 'success' })
    expect(await ends(id)).toEqual({ load: 'cached', some: 'cached' })

    const images = rows.map((row) => join(folder, row[header.indexOf('image')] ?? ''))
    copyFileSync(images[1] ?? '', images[0] ?? '')
    expect(await workflows.plan(id)).toMatchObject({ load: { action: 'run', reason: 'source_changed' } })
    expect(await ends(id)).toEqual({ load: 'success', some: 'success' })
    expect(await ends(id)).toEqual({ load: 'cached', some: 'cached' })
  })
})

describe('a folder of images', () => {
  it('is read again when a file changes that it only links to', async () => {
    const { folder, header, rows } = copyOfDataset('links-images')
    const [first = '', second = ''] = rows.map((row) => join(folder, row[header.indexOf('image')] ?? ''))
    const linked = join(dirname(shared.dataset), 'linked.png')
    copyFileSync(first, linked)
    symlinkSync(linked, join(folder, 'images', 'linked.png'))
    const id = await workflows.create(workflow({ load: ['LoadImage', { path: join(folder, 'images') }] }))
    expect(await ends(id)).toEqual({ load: 'success' })
    expect(await ends(id)).toEqual({ load: 'cached' })
    expect(readFileSync(first)).not.toEqual(readFileSync(second))
    copyFileSync(second, linked)
    expect(await ends(id)).toEqual({ load: 'success' })
  })
})
