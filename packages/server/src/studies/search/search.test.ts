/** @module-tag service */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Study, StudyPlan } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { PATIENCE } from '../../../../../scripts/testing/patience.mjs'
import { withShortReports } from '../../../testing/short-reports.js'
import { StudiesService } from '../../../testing/training/studies-service.js'

// The first report of a test file starts a thread, which takes long on a busy machine.
vi.setConfig({ testTimeout: PATIENCE.serviceTest })

const studies = new StudiesService()
const { start, get, until, ended, post } = studies
withShortReports()
// One service for all tests.
beforeAll(studies.begin)
afterAll(studies.end)

const RATES = [0.03, 0.01, 0.02]
/** The small trainer validates worse at higher rates, as the name of the study requests. */
const searchOf = (search: object, study: object = {}, training: object = {}) => ({
  config: studies.place.config(training),
  name: 'rates by=rate ',
  search: { sampler: 'grid', space: { 'training.learning_rate': RATES }, ...search },
  ...study,
})
const rates = ({ jobs }: Study) =>
  jobs.flatMap(({ settings }) => (settings ? [settings['training.learning_rate']] : []))

describe('a search', () => {
  test('tries its settings on every fold, and evaluates only the choices of validation', async () => {
    const study = searchOf({}, { folds: { k: 2 } })
    const plan = (await studies.service.send<StudyPlan>('POST', '/api/studies/check', study)).body
    expect(plan.trainings.map(({ variant, fold, trial }) => [fold, variant, trial])).toEqual(
      [0, 1].flatMap((fold) => [[fold, 'base', null], ...[0, 1, 2].map((trial) => [fold, 'search', trial])]),
    )
    const found = await ended(await start(study))
    expect(found).toMatchObject({
      status: 'completed',
      message: 'All 8 trainings completed.',
      progress: { total: 8, completed: 8, pruned: 0, failed: 0, fraction: 1 },
      reference: 'base',
      search: {
        ...{ name: 'search', sampler: 'grid', metric: 'val_loss', better: 'lower', trials: 3 },
        ...{ space_size: 3, asked: 6, completed: 6, pruned: 0, failed: 0 },
      },
    })
    expect(rates(found)).toEqual([...RATES, ...RATES])
    const chosen = found.jobs.filter(({ trial }) => trial === 1)
    expect(found.search?.choices.map(({ fold, ended, best }) => [fold, ended, best])).toEqual(
      chosen.map(({ fold, job_id }) => [
        fold,
        true,
        {
          ...{ trial: 1, job_id, settings: { 'training.learning_rate': 0.01 } },
          ...{ value: 0.51, validation: null },
        },
      ]),
    )
    const results = JSON.parse(readFileSync(String(found.results_path), 'utf8'))
    const measured = results.trainings.filter(({ variant }: { variant: string }) => variant === 'search')
    expect(measured.map(({ notes }: { notes: { evaluation: string } }) => notes.evaluation)).toEqual(
      chosen.map(({ job_id }) =>
        join(studies.place.dataDir, 'runs', String(job_id), 'metrics/held-out.json'),
      ),
    )
    expect(
      found.variants.map(({ name, num_trainings, num_completed }) => [name, num_trainings, num_completed]),
    ).toEqual([
      ['base', 2, 2],
      ['search', 2, 2],
    ])
    const job = await studies.service.status(String(chosen[1]?.job_id))
    expect(job).toMatchObject({
      job_name: 'rates by=rate /search 1/0.1/0',
      config: { training: { learning_rate: 0.01 }, data: { fold: { index: 1 } } },
    })
  })

  test('suggests the same settings however often its service was closed', async () => {
    const space = { 'training.learning_rate': [0.01, 0.02, 0.03, 0.04, 0.05, 0.06] }
    const study = searchOf({ sampler: 'tpe', trials: 3, space })
    const calm = await ended(await start(study))
    const id = await start(study)
    for (let round = 0; round < 2; round++) {
      await until(id, ({ search, status }) => status !== 'running' || (search?.asked ?? 0) > round)
      await studies.service.close()
      await studies.open()
    }
    const found = await ended(id)
    expect(found.jobs.map(({ attempts }) => attempts.length)).toEqual(found.jobs.map(() => 1))
    expect(rates(found)).toEqual(rates(calm))
    expect(found.search?.choices.map(({ best }) => best?.trial)).toEqual(
      calm.search?.choices.map(({ best }) => best?.trial),
    )
  })

  test('by TPE tries one setting after the other, whatever else runs', async () => {
    const id = await start(
      searchOf({ sampler: 'tpe', trials: 3 }, { seeds: 2, parallel: 4, variants: [{ name: 'a' }] }),
    )
    let most = 0
    const found = await until(id, ({ status, jobs }) => {
      for (const seed of [0, 1]) {
        const active = jobs.filter(
          (job) => job.seed === seed && job.trial !== null && ['started', 'running'].includes(job.status),
        )
        most = Math.max(most, active.length)
      }
      return status !== 'running'
    })
    expect(most).toBe(1)
    // Each seed has a separate search.
    expect(rates(found).slice(0, 3)).not.toEqual(rates(found).slice(3))
  })

  test('prunes a trial with a worse validation, and does not train it again', async () => {
    const search = {
      pruner: 'median',
      startup_trials: 1,
      space: { 'training.learning_rate': [0.01, 0.5, 0.001] },
    }
    // The worse trial waits for the decision, which takes longer than its replayed epochs on a slow machine.
    const name = 'rates by=rate pause=10 pause-from=0.1 '
    const found = await ended(await start(searchOf(search, { name }, { epochs: 25 })))
    expect(found).toMatchObject({
      status: 'completed',
      message: 'All 4 trainings ended: 3 completed, 1 pruned.',
      progress: { total: 4, completed: 3, pruned: 1, failed: 0, fraction: 1 },
      search: { asked: 3, completed: 2, pruned: 1, choices: [{ ended: true, best: { trial: 2 } }] },
    })
    expect(found.jobs.map(({ status }) => status)).toEqual(['completed', 'completed', 'pruned', 'completed'])
    const pruned = await studies.service.status(String(found.jobs[2]?.job_id))
    expect(pruned.status).toBe('stopped')
    expect(pruned.epoch).toBeLessThanOrEqual(10)
    expect(found.jobs[2]?.attempts).toHaveLength(1)
    const { body } = await studies.service.send<{ studies: Study[] }>('GET', '/api/studies')
    expect(body.studies[0]?.progress).toEqual(found.progress)
  })

  test('continues when a setting fails, and chooses among the others', async () => {
    const found = await ended(await start(searchOf({}, { name: 'rates by=rate diverge=0.02 ' })))
    expect(found).toMatchObject({
      status: 'completed',
      message: 'All 4 trainings ended: 2 completed, 2 failed.',
      progress: { completed: 2, failed: 2, fraction: 1 },
      search: { failed: 2, choices: [{ best: { trial: 1 } }] },
    })
  })

  test('fails if every setting fails, with the results of complete trainings', async () => {
    const space = { 'training.learning_rate': [0.02, 0.03] }
    const id = await start(searchOf({ space }, { name: 'rates by=rate diverge=0.02 ' }))
    const found = await ended(id)
    expect(found).toMatchObject({
      status: 'failed',
      error: { code: 'STUDY_INCOMPLETE' },
      message: expect.stringMatching(
        /^2 of 3 trainings failed; the search has no completed trial for 1 combination of seed and fold; first error: the loss is not finite.* \[LOSS_NOT_FINITE\]$/,
      ),
      search: { choices: [{ ended: true, best: null }] },
    })
    expect(found.variants.map(({ name }) => name)).toEqual(['base'])
    expect((await post(id, 'resume')).status).toBe(200)
    expect((await ended(id)).jobs.map(({ attempts }) => attempts.length)).toEqual([1, 2, 2])
  })

  test('counts contradictory settings as failed, and trains the others', async () => {
    const search = { space: { 'model.hidden_dim': { low: 8, high: 24, int: true, step: 4 } } }
    const config = {
      ...studies.place.config(),
      model: { ...studies.place.config().model, fusion_type: 'attention', num_heads: 8 },
    }
    const found = await ended(await start(searchOf(search, { config })))
    expect(found.status).toBe('completed')
    expect(found.jobs.map(({ status, error }) => [status, error?.code])).toEqual([
      ['completed', undefined],
      ['completed', undefined],
      ['failed', 'INVALID_CONFIG'],
      ['completed', undefined],
      ['failed', 'INVALID_CONFIG'],
      ['completed', undefined],
    ])
    const [place, ...problem] = found.jobs[2]?.error?.message_phrases ?? []
    expect(place).toEqual({ code: 'name', values: { name: expect.stringMatching(/^model\./) } })
    expect(problem).not.toEqual([])
  })

  test('is stopped with its trial, and resumed with the same setting', async () => {
    const id = await start(searchOf({ sampler: 'tpe', trials: 2 }, {}, { epochs: 80 }))
    const running = await until(id, ({ jobs }) => jobs[1]?.status === 'running')
    await studies.service.until(String(running.jobs[1]?.job_id), ({ epoch }) => epoch >= 2)
    expect((await post(id, 'stop')).body).toMatchObject({
      status: 'stopped',
      message: 'Stopped: 1 of 3 trainings completed.',
    })
    expect((await get(id)).search).toMatchObject({ asked: 1, choices: [{ ended: false, best: null }] })
    expect((await post(id, 'resume')).status).toBe(200)
    const found = await ended(id)
    expect(found).toMatchObject({ status: 'completed', search: { asked: 2, completed: 2 } })
    expect(rates(found)[0]).toBe(rates(running)[0])
    expect(found.jobs.map(({ attempts }) => attempts.length)).toEqual([1, 2, 1])
  })

  test('is refused for a metric that the task of the tables does not have', async () => {
    for (const path of ['/api/studies', '/api/studies/check']) {
      const { body } = await studies.service.send<{ code: string; issues: { path: string }[] }>(
        'POST',
        path,
        searchOf({ metric: 'val_r2' }),
      )
      expect([body.code, body.issues[0]?.path]).toEqual(['INVALID_REQUEST', 'search.metric'])
    }
  })
})
