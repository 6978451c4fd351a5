import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { check, TrainingConfig } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { readConfigFile } from './config-file.js'

const folder = resolve(import.meta.dirname, '../../../../examples/configs')

describe('the example configurations', () => {
  const files = readdirSync(folder)

  it('cover both ablations, several views, regression and PAD-UFES-20', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        'synthetic-fusion.yaml',
        'synthetic-image-only.yaml',
        'synthetic-table-only.yaml',
        'synthetic-multi-view.yaml',
        'synthetic-regression.yaml',
        'pad-ufes-20.yaml',
      ]),
    )
  })

  it.each(files)('%s is valid', (file) => {
    expect(check(TrainingConfig, readConfigFile(join(folder, file), []).config)).toMatchObject({ ok: true })
  })

  it.each(files.filter((file) => file.startsWith('pad')))('%s keeps the leak out', (file) => {
    const { config } = readConfigFile(join(folder, file), [])
    expect(config).toMatchObject({
      data: { ignore_columns: expect.arrayContaining(['biopsed', 'lesion_id']) },
    })
  })
})
