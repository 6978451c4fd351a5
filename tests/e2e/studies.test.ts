import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type ErrorBody, ROUTES, type Study, type StudyPlan } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { soakStudy, tinyStudy } from '../soak/study.js'
import { Caller } from '../testing/http.js'
import { MedloomCommand } from '../testing/medloom-command.js'
import { temporaryFolder } from '../testing/service.js'
import { shared } from '../testing/shared.js'
import { trainingConfig } from '../testing/training.js'

type Refusal = z.infer<typeof ErrorBody>

const { dataset, url } = shared
const caller = new Caller(url)
const table = { vision_backbone: 'none' } as const

describe('a study', () => {
  it('that is killed three times ends equal to an undisturbed one', async () => {
    const soaked = await soakStudy({ kills: 3, study: tinyStudy(dataset, 1, 2), dataset })
    expect(soaked).toMatchObject({ trainings: 4, kills: 3 })
  }, 300_000)

  it('without folds is run by one command, and each of its models evaluated on test once', async () => {
    const folder = temporaryFolder('study')
    const file = join(folder, 'study.yaml')
    const config = trainingConfig(dataset, { model: table, baselines: undefined })
    const variants = [{ name: 'narrow' }, { name: 'wide', config: { model: { hidden_dim: 32 } } }]
    writeFileSync(file, JSON.stringify({ name: 'by command', config, seeds: 2, variants }))
    const medloom = new MedloomCommand(folder, { MEDLOOM_URL: url })
    const planned = JSON.parse((await medloom.run('study', 'run', '-f', file, '--dry-run', '--json')).stdout)
    expect(planned as StudyPlan).toMatchObject({ num_trainings: 4, metric: 'auc', reference: 'narrow' })

    const { code, stdout, stderr } = await medloom.run('study', 'run', '-f', file)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/completed after .*: All 4 trainings completed\./)
    const study: Study = JSON.parse((await medloom.run('study', 'status', 'by command', '--json')).stdout)
    expect(ROUTES.getStudy.response.parse(study)).toEqual(study)
    const shown = study.variants.map(({ name, kind, num_completed }) => [name, kind, num_completed])
    expect(shown).toEqual([
      ['narrow', 'trained', 2],
      ['wide', 'trained', 2],
      ['logistic_regression', 'baseline', 2],
      ['random_forest', 'baseline', 2],
    ])
    const [narrow] = study.variants
    const tested = readFileSync(join(dataset, 'test.csv'), 'utf8').trimEnd().split('\n').length - 1
    expect(narrow?.num_cases).toBe(tested)
    for (const { job_id } of study.jobs) {
      const { model_id } = await caller.status(String(job_id))
      expect((await caller.get(`/api/models/${model_id}`)).body).toMatchObject({ evaluations: 1 })
    }
    expect(readFileSync(String(study.report_path), 'utf8')).toContain('4 evaluations of test data.')
    expect(existsSync(join(dirname(String(study.report_path)), 'report.pdf'))).toBe(true)
    expect((await medloom.run('study', 'ls')).stdout).toContain('by command')

    const removed = await medloom.run('study', 'rm', study.study_id, '--yes')
    expect([removed.code, removed.stdout]).toEqual([0, expect.stringContaining(`removed ${study.study_id}`)])
    expect((await medloom.run('study', 'status', study.study_id)).code).toBe(4)
  }, 300_000)
})

describe('a study that cannot be', () => {
  const config = trainingConfig(dataset, { model: table })
  const variant = (changes: object) => ({ config, variants: [{ name: 'a', config: changes }] })
  it.each<[string, object, string, string]>([
    ['more folds than patients', { config, folds: { k: 100 } }, 'FOLDS_IMPOSSIBLE', ''],
    ['a column that there is not', { config, folds: { column: 'hospital' } }, 'COLUMN_NOT_FOUND', ''],
    ['a metric of another task', { config, metric: 'mae' }, 'INVALID_REQUEST', 'metric'],
    [
      'a mistyped key of a variant',
      variant({ model: { dropuot: 0 } }),
      'UNKNOWN_FIELD',
      'variants.0.config.model.dropuot',
    ],
    [
      'an invalid base',
      { config: { ...config, training: { epochs: 0 } } },
      'INVALID_CONFIG',
      'config.training.epochs',
    ],
    [
      'an unknown backbone',
      { config: { ...config, model: { vision_backbone: 'resnet19', fusion_type: 'gated' } } },
      'UNKNOWN_BACKBONE',
      'config.model.vision_backbone',
    ],
    [
      'a table outside the roots',
      { config: trainingConfig('/etc') },
      'PATH_NOT_ALLOWED',
      'config.data.train_csv',
    ],
    [
      'a table that is not there',
      { config: trainingConfig(join(dataset, 'no')) },
      'FILE_NOT_FOUND',
      'config.data.train_csv',
    ],
    [
      'a trained model that there is not',
      variant({ model: { fine_tune_from: 'none_001' } }),
      'MODEL_NOT_FOUND',
      '',
    ],
    [
      'a job that there is not',
      variant({ model: { fine_tune_from: '00000000-0000-4000-8000-000000000000' } }),
      'JOB_NOT_FOUND',
      '',
    ],
  ])('%s is refused, with its place, and nothing begins', async (_, study, code, place) => {
    for (const path of ['/api/studies', '/api/studies/check']) {
      const { body } = await caller.post<Refusal>(path, study)
      expect([body.code, body.issues?.map((issue) => issue.path)[0] ?? '']).toEqual([code, place])
    }
  })
})
