import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { NodePreview, PortValue } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { readRows } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { MedloomCommand } from '../testing/medloom-command.js'
import { PYTHON, temporaryFolder } from '../testing/service.js'
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
    // load ─► some      all downstream nodes receive the other pixels
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

describe('behind preprocessing', () => {
  const preview = (id: string, query: string) =>
    workflows.caller.get<NodePreview & { code: string }>(`/api/workflow/${id}/preview?${query}`)
  const number = (text: string | undefined) => Number.parseFloat(text ?? '')

  // load ─► images ─► varied
  // load ─► table ─► older ─► file
  it('what was recorded is seen, filtered by and exported, and stays a setting', async () => {
    const id = await workflows.create(
      workflow(
        {
          load: ['LoadDataset', { dataset_id: join(shared.dataset, 'train.csv') }],
          images: ['ImagePreprocess', { resize: { width: 40, height: 24 } }],
          varied: ['DataAugmentation', { methods: ['brightness'], probability: 1, intensity: 1 }],
          table: ['TabularPreprocess', { missing_strategy: 'mean', scaling: 'standard' }],
          older: ['FilterData', { filter_condition: 'age > 0' }],
          file: ['ExportPredictions', { path: 'processed.csv' }],
        },
        [
          'load.dataset > images.images',
          'images.processed_images > varied.images',
          'load.dataset > table.dataframe',
          'table.processed_data > older.dataset',
          'older.filtered_dataset > file.predictions',
        ],
      ),
    )
    expect(await preview(id, 'node=table')).toMatchObject({ status: 404, body: { code: 'RESULT_NOT_FOUND' } })
    await ends(id)

    const { body: table } = await preview(id, 'node=table&rows=200&images=0')
    const age = table.columns.findIndex(({ name }) => name === 'age')
    const ages = table.rows.map((row) => number(row[age]))
    expect(table.columns[age]).toEqual({ name: 'age', of: 'age', masked: false })
    expect(ages.every(Number.isFinite), 'gaps are filled').toBe(true)
    expect(Math.abs(ages.reduce((sum, value) => sum + value, 0) / ages.length)).toBeLessThan(1e-4)
    expect(table.notes).toMatchObject([{ code: 'PROCESSED_VIEW' }])

    const first = (await preview(id, 'node=table&rows=7&images=0')).body
    const rest = await preview(id, `node=table&rows=193&images=0&page_token=${first.next_page_token}`)
    expect([...first.rows, ...rest.body.rows]).toEqual(table.rows)
    expect(rest.body.next_page_token).toBeNull()
    const who = table.columns.findIndex(({ masked }) => masked)
    expect(table.rows[0]?.[who]).toBe('#1')
    const { body: named } = await preview(id, 'node=table&rows=1&images=0&identifiers=true')
    expect(named.columns.some(({ masked }) => masked)).toBe(false)
    expect(named.rows[0]?.[who]).not.toMatch(/^#/)

    const older = (await preview(id, 'node=older&images=0')).body
    expect(older.num_rows).toBe(ages.filter((value) => value > 0).length)
    const { nodes } = await workflows.status(id)
    expect(nodes.older?.warnings).toMatchObject([{ code: 'PROCESSED_VIEW' }])
    const exported = readRows(join(shared.dataDir, 'outputs', 'processed.csv'))
    expect(exported).toHaveLength(older.num_rows + 1)
    // The cases were passed on unscaled, so the exported values were scaled only once.
    const column = exported[0]?.indexOf('"age"') ?? -1
    expect(Math.max(...exported.slice(1).map((row) => number(row[column])))).toBeLessThan(5)

    const { body: varied } = await preview(id, 'node=varied&rows=3&images=2')
    expect(varied).toMatchObject({ node: 'varied', port: 'augmented_images', image_size: [40, 24] })
    expect(varied.digest).toBe(nodes.varied?.outputs.augmented_images?.digest)
    for (const { png, augmented_png } of varied.images) {
      const bytes = Buffer.from(png, 'base64')
      expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], 'sides in the header').toEqual([40, 24])
      expect(augmented_png).toMatch(/^iVBOR/)
    }
    expect(varied.images.map(({ row }) => row)).toEqual([0, 1])

    const value = (query: string) =>
      workflows.caller.get<PortValue & { code: string }>(`/api/workflow/${id}/value?${query}`)
    expect((await value('node=file&port=export_path')).body).toMatchObject({
      type: 'path',
      digest: nodes.file?.outputs.export_path?.digest,
      value: { content: 'files', num_files: 1, files: [{ size_bytes: expect.any(Number) }] },
    })
    const { body: loaded } = await value('node=load&port=dataset')
    expect(loaded.value).toMatchObject({ content: 'cases', label_column: 'label' })
    expect(JSON.stringify(loaded.value)).not.toContain('sha256')
    expect((await value('node=load&port=datset')).body).toMatchObject({ code: 'INVALID_REQUEST' })
    expect((await value('node=load&port=dataset&run_id=x')).body).toMatchObject({
      code: 'WORKFLOW_RUN_NOT_FOUND',
    })

    for (const [query, details] of [
      ['node=tabel', /Did you mean "table"/],
      ['node=table&port=scaler', /Use "processed_data"/],
      ['node=file', /described in the status/],
    ] as const)
      expect((await preview(id, query)).body, query).toMatchObject({
        code: 'INVALID_REQUEST',
        details: expect.stringMatching(details),
      })

    const folder = temporaryFolder('preview')
    const command = new MedloomCommand(folder, { MEDLOOM_URL: shared.url })
    const shown = await command.run('workflow', 'preview', id, 'varied', '--rows', '2', '--images', 'seen')
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toMatch(/^2 of \d+ rows, /m)
    expect(existsSync(join(folder, 'seen', 'row-1-image-1-augmented.png'))).toBe(true)
  })
})
