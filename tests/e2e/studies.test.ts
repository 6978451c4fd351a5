import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type ErrorBody,
  type Model,
  ROUTES,
  type Study,
  type StudyPlan,
  StudyResults,
} from '@medloom/contracts'
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
  it('whose service is killed, and then its trainer too, ends equal to an undisturbed one', {
    tags: ['full'],
    timeout: 300_000,
  }, async () => {
    const soaked = await soakStudy({ kills: 2, study: tinyStudy(dataset, 1, 2), dataset })
    expect(soaked).toMatchObject({ trainings: 4, kills: 2 })
  })

  it('without folds is run by one command, and each of its models evaluated on test once', async () => {
    const folder = temporaryFolder('study')
    const file = join(folder, 'study.yaml')
    const config = trainingConfig(dataset, { model: table, baselines: undefined })
    const variants = [{ name: 'narrow' }, { name: 'wide', config: { model: { hidden_dim: 32 } } }]
    writeFileSync(file, JSON.stringify({ name: 'by command', config, seeds: 1, variants }))
    const medloom = new MedloomCommand(folder, { MEDLOOM_URL: url })
    const planned = JSON.parse((await medloom.run('study', 'run', '-f', file, '--dry-run', '--json')).stdout)
    expect(planned as StudyPlan).toMatchObject({ num_trainings: 2, metric: 'auc', reference: 'narrow' })

    const { code, stdout, stderr } = await medloom.run('study', 'run', '-f', file)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/completed after .*: All 2 trainings completed\./)
    const study: Study = JSON.parse((await medloom.run('study', 'status', 'by command', '--json')).stdout)
    expect(ROUTES.getStudy.response.parse(study)).toEqual(study)
    const shown = study.variants.map(({ name, kind, num_completed }) => [name, kind, num_completed])
    expect(shown).toEqual([
      ['narrow', 'trained', 1],
      ['wide', 'trained', 1],
      ['logistic_regression', 'baseline', 1],
      ['random_forest', 'baseline', 1],
    ])
    const [narrow] = study.variants
    const tested = readFileSync(join(dataset, 'test.csv'), 'utf8').trimEnd().split('\n').length - 1
    expect(narrow?.num_cases).toBe(tested)
    for (const { job_id } of study.jobs) {
      const { model_id } = await caller.status(String(job_id))
      expect((await caller.get(`/api/models/${model_id}`)).body).toMatchObject({ evaluations: 1 })
    }
    expect(readFileSync(String(study.report_path), 'utf8')).toContain('2 evaluations on test data.')
    expect(existsSync(join(dirname(String(study.report_path)), 'report.pdf'))).toBe(true)
    expect((await medloom.run('study', 'ls')).stdout).toContain('by command')
    const statistics = (await medloom.run('study', 'results', 'by command')).stdout
    const three = (value: number | null | undefined) => (value ?? Number.NaN).toFixed(3)
    for (const { name, kind, metrics } of study.variants) {
      const shown = kind === 'baseline' ? `${name} \\(baseline\\)` : name
      expect(statistics).toMatch(new RegExp(`^auc +${shown} +${three(metrics.auc?.estimate)} `, 'm'))
    }
    for (const { a, b } of study.comparisons)
      expect(statistics).toMatch(new RegExp(`^auc +${a} − ${b} `, 'm'))
    expect(statistics).toMatch(/^versions: \S+ \d/m)

    const removed = await medloom.run('study', 'rm', study.study_id, '--yes')
    expect([removed.code, removed.stdout]).toEqual([0, expect.stringContaining(`removed ${study.study_id}`)])
    expect((await medloom.run('study', 'status', study.study_id)).code).toBe(4)
  }, 300_000)
})

describe('a search', () => {
  it('is nested in the folds: validation chooses there, and the report lists the tried settings', {
    tags: ['full'],
    timeout: 300_000,
  }, async () => {
    const folder = temporaryFolder('search')
    const file = join(folder, 'study.yaml')
    const space = {
      'training.learning_rate': { low: 0.0001, high: 0.03, log: true },
      'data.scaling': ['standard', 'quantile'],
    }
    const search = { name: 'searched', sampler: 'tpe', trials: 2, space }
    writeFileSync(
      file,
      JSON.stringify({
        name: 'by search',
        config: trainingConfig(dataset, { model: table }),
        folds: { k: 2 },
        search,
      }),
    )
    const medloom = new MedloomCommand(folder, { MEDLOOM_URL: url })
    const { code, stdout, stderr } = await medloom.run('study', 'run', '-f', file)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      /searched 1 {2}seed 0 {2}fold 0\.1 {2}completed {2}\S+ {2}training\.learning_rate = /,
    )
    const study: Study = JSON.parse((await medloom.run('study', 'status', 'by search', '--json')).stdout)
    expect(ROUTES.getStudy.response.parse(study)).toEqual(study)
    expect(study.search).toMatchObject({ metric: 'val_loss', asked: 4, completed: 4, space_size: null })
    const results = StudyResults.parse(JSON.parse(readFileSync(String(study.results_path), 'utf8')))
    for (const { fold, ended, best } of study.search?.choices ?? []) {
      const trials = study.jobs.filter((job) => job.fold === fold && job.trial !== null)
      expect(new Set(trials.map(({ settings }) => JSON.stringify(settings))).size).toBe(2)
      const values = await Promise.all(
        trials.map(async ({ job_id }) => (await caller.status(String(job_id))).best?.metrics.val_loss),
      )
      expect(trials.map(({ value }) => value)).toEqual(values)
      expect([ended, best?.value]).toEqual([true, Math.min(...values.map(Number))])
      const heldOut = results.trainings.filter((one) => one.variant === 'searched' && one.fold === fold)
      const file = join((await caller.status(String(best?.job_id))).run_dir, 'metrics/held-out.json')
      expect(heldOut.map(({ metrics }) => metrics.auc)).toEqual([
        JSON.parse(readFileSync(file, 'utf8')).metrics.auc,
      ])
    }
    expect(study.comparisons.map(({ a, b }) => [a, b])).toContainEqual(['searched', 'base'])
    const report = readFileSync(String(study.report_path), 'utf8')
    expect(report).toContain('tried 2 settings for each of 2 folds (search seed 0), 4 settings in total.')
    expect((await medloom.run('study', 'status', 'by search')).stdout).toContain(
      'search "searched" (tpe): 4 of 4 settings requested, 4 completed',
    )
  })

  it('without folds chooses on validation, and shows the test data to what it chose alone', {
    tags: ['full'],
    timeout: 300_000,
  }, async () => {
    const { body } = await caller.post<Study>('/api/studies', {
      name: 'search without folds',
      config: trainingConfig(dataset, { model: table }),
      search: {
        name: 'searched',
        sampler: 'random',
        trials: 3,
        space: { 'training.learning_rate': { low: 0.0001, high: 0.03, log: true } },
      },
    })
    const study = await caller.studyEnded(body.study_id)
    expect(study).toMatchObject({ status: 'completed', search: { asked: 3, completed: 3 } })
    const [choice, ...others] = study.search?.choices ?? []
    expect([choice?.fold, others]).toEqual([null, []])
    const trials = study.jobs.filter(({ trial }) => trial !== null)
    const values = trials.map(({ value }) => Number(value))
    expect([trials.length, choice?.best?.value]).toEqual([3, Math.min(...values)])
    for (const { job_id } of trials) {
      const { model_id } = await caller.status(String(job_id))
      const { body: model } = await caller.get<Model>(`/api/models/${model_id}`)
      expect(model.evaluations).toBe(job_id === choice?.best?.job_id ? 1 : 0)
    }
    const results = StudyResults.parse(JSON.parse(readFileSync(String(study.results_path), 'utf8')))
    expect(results.trainings.filter(({ variant }) => variant === 'searched')).toHaveLength(1)
    expect(readFileSync(String(study.report_path), 'utf8')).toContain('3 settings')
  })
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
      'a mistyped key of a search',
      { config, search: { sampler: 'random', trials: 2, space: { 'model.dropuot': [0, 0.1] } } },
      'UNKNOWN_FIELD',
      'search.space.model.dropuot',
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
