import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { TrainingConfig, trainerConfig } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { readConfigFile } from './config-file.js'

const folder = mkdtempSync(join(tmpdir(), 'medloom-config-'))

function file(text: string, name = 'config.yaml'): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const YAML = `data:
  train_csv: tables/train.csv
  test_csv: /absolute/test.csv
model:
  pretrained: weights.safetensors
training:
  epochs: 5
`

describe('a configuration file', () => {
  it('is YAML or JSON', () => {
    const json = file('{"training": {"epochs": 5}}', 'config.json')
    expect(readConfigFile(json, []).config).toEqual({ training: { epochs: 5 } })
  })

  it('of an earlier release keeps the defaults of that release, unless --set overrides them', () => {
    const whole = trainerConfig(
      TrainingConfig.parse({
        data: { train_csv: '/data/train.csv' },
        model: { vision_backbone: 'none', fusion_type: 'concatenate' },
        training: { epochs: 3, batch_size: 8 },
      }),
    )
    const { members: _, linear_share: __, ...model } = whole.model
    const saved = file(JSON.stringify({ ...whole, model }), 'older.json')
    expect(readConfigFile(saved, []).config.model).toMatchObject({ members: 1 })
    expect(readConfigFile(saved, ['model.members=null']).config.model).toMatchObject({ members: null })
  })

  it('resolves its paths against its own folder', () => {
    expect(readConfigFile(file(YAML), []).config).toMatchObject({
      data: { train_csv: join(folder, 'tables/train.csv'), test_csv: '/absolute/test.csv' },
      model: { pretrained: join(folder, 'weights.safetensors') },
    })
  })

  it('keeps relative paths with keepPaths', () => {
    const { config } = readConfigFile(file(YAML), ['data.val_csv=val.csv'], { keepPaths: true })
    expect(config).toMatchObject({ data: { train_csv: 'tables/train.csv', val_csv: 'val.csv' } })
  })

  it('keeps pretrained: true', () => {
    expect(readConfigFile(file('model: {pretrained: true}'), []).config).toEqual({
      model: { pretrained: true },
    })
  })

  it('names a trained model by its id or by the folder of a checkpoint', () => {
    const from = (written: string, ...settings: string[]) =>
      readConfigFile(file(`model: {fine_tune_from: ${written}}`), settings).config.model
    expect(from('resnet18_gated_001')).toEqual({ fine_tune_from: 'resnet18_gated_001' })
    expect(from('runs/a/best')).toEqual({ fine_tune_from: join(folder, 'runs/a/best') })
    expect(from('null', 'model.fine_tune_from="latest"')).toEqual({ fine_tune_from: 'latest' })
    expect(from('null', 'model.fine_tune_from=./best')).toEqual({ fine_tune_from: resolve('best') })
  })

  it('names the line of a problem', () => {
    const path = file(YAML)
    const { placeOf } = readConfigFile(path, [])
    expect(placeOf({ path: 'config.training.epochs' })).toBe(`${path}:7`)
    expect(placeOf({ path: 'config.training.batch_size' })).toBeNull()
  })

  it.each([
    ['training: [', 'not valid YAML'],
    ['a: 1\na: 2', 'not valid YAML'],
    ['- 1', 'not contain a training configuration'],
    ['', 'not contain a training configuration'],
  ])('%j is refused', (text, message) => {
    expect(() => readConfigFile(file(text), [])).toThrow(message)
  })

  it('that does not exist is an error with a remedy', () => {
    expect(() => readConfigFile(join(folder, 'none.yaml'), [])).toThrow('cannot be read')
  })
})

describe('--set', () => {
  const set = (...settings: string[]) => readConfigFile(file(YAML), settings).config

  it('sets typed values over those of the file, later ones over earlier ones', () => {
    expect(
      set('training.epochs=3', 'training.epochs=4', 'data.image_size=[80, 80]', 'data.val_csv=null'),
    ).toMatchObject({
      training: { epochs: 4 },
      data: { image_size: [80, 80], val_csv: null },
    })
  })

  it('creates missing sections', () => {
    expect(readConfigFile(file('{data: {}}'), ['training.early_stopping.patience=2']).config).toMatchObject({
      training: { early_stopping: { patience: 2 } },
    })
  })

  it('resolves relative paths against the current folder', () => {
    expect(set('data.val_csv=val.csv')).toMatchObject({ data: { val_csv: resolve('val.csv') } })
  })

  it.each(['epochs', '=3', 'training.=3', 'training..epochs=3', '__proto__.polluted=1', 'a-b=1'])(
    '%j is refused',
    (setting) => {
      expect(() => set(setting)).toThrow('--set')
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    },
  )
})
