import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { check, StudyConfig } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { readStudyFile } from './study-file.js'

const examples = resolve(import.meta.dirname, '../../../../examples/studies')

describe('the example studies', () => {
  const files = readdirSync(examples)

  it('cover seeds and folds, a held-out site, an ablation, a search, and the study of the results page', () => {
    expect(files.sort()).toEqual([
      'ablation.yaml',
      'leave-one-site-out.yaml',
      'pad-ufes-20.yaml',
      'search.yaml',
      'seeds-and-folds.yaml',
    ])
  })

  it.each(files)('%s is valid', (file) => {
    expect(check(StudyConfig, readStudyFile(join(examples, file), []).study)).toMatchObject({ ok: true })
  })
})

describe('a study file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-study-'))
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  write('base.yaml', 'data:\n  train_csv: tables/train.csv\nmodel:\n  fusion_type: gated\n')
  const file = write(
    'study.yaml',
    `name: small
config: base.yaml
variants:
  - name: weights
    config:
      model: { pretrained: weights.safetensors }
`,
  )

  it('refers to its configuration by path, and resolves paths against the file that contains them', () => {
    const { study } = readStudyFile(file, ['seeds=3', 'config.training.epochs=2'])
    expect(study).toMatchObject({
      seeds: 3,
      config: { data: { train_csv: join(folder, 'tables/train.csv') }, training: { epochs: 2 } },
      variants: [{ config: { model: { pretrained: join(folder, 'weights.safetensors') } } }],
    })
  })

  it('leaves paths to the service on request', () => {
    const { study } = readStudyFile(file, [], { keepPaths: true })
    expect(study).toMatchObject({ config: { data: { train_csv: 'tables/train.csv' } } })
  })

  it('returns the line of a key, in the file that contains it', () => {
    const { placeOf } = readStudyFile(file, [])
    expect(placeOf({ path: 'variants.0.config.model.pretrained' })).toBe(`${file}:6`)
    expect(placeOf({ path: 'config.model.fusion_type' })).toBe(`${join(folder, 'base.yaml')}:4`)
    expect(placeOf({ path: 'config.model.dropout' })).toBeNull()
  })

  it.each(['- a list\n', 'text\n'])('is refused if it is invalid: %j', (other) => {
    expect(() => readStudyFile(write('other.yaml', other), [])).toThrow('does not contain a study')
  })
})
