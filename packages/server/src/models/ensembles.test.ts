import { EnsembleRequest, StudyConfig } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import type { StudyRecord, TrainingRecord } from '../studies/study-record.js'
import { findMembers, type MemberSources } from './ensembles.js'

const STUDY = '11111111-1111-4111-8111-111111111111'
const job = (position: number) => `00000000-0000-4000-8000-00000000000${position}`

const config = StudyConfig.parse({
  name: 'photos',
  config: {
    data: { train_csv: 'train.csv' },
    model: { vision_backbone: 'none', fusion_type: 'concatenate' },
    training: { epochs: 2, batch_size: 4 },
  },
  variants: [{ name: 'a' }, { name: 'b', config: { model: { dropout: 0.5 } } }],
  seeds: 1,
  search: { trials: 2, sampler: 'random', space: { 'training.learning_rate': { low: 0.001, high: 0.1 } } },
})
const training = (position: number, more: Partial<TrainingRecord>) =>
  ({
    position,
    variant: 'a',
    seed: 0,
    fold: null,
    trial: null,
    job_id: job(position),
    due: false,
    status: 'completed',
    metrics: {},
    value: null,
    error: null,
    done: 1,
    ...more,
  }) as TrainingRecord

/** Every job has a model that is named after it. */
function sources(trainings: readonly TrainingRecord[], status: StudyRecord['status'] = 'completed') {
  return {
    studies: {
      find: async (id: string) => (id === STUDY ? ({ status, name: 'photos', config } as never) : undefined),
      trainings: { list: async () => [...trainings] },
    },
    job: async (id: string) => ({ job_id: id, model_id: `of-${id.at(-1)}`, status: 'completed' }) as never,
    model: async (name: string) => ({ model: { model_id: name }, checkpoint: `/${name}/best` }) as never,
  } satisfies MemberSources
}
const body = (more: object) => EnsembleRequest.parse(more)
const names = async (more: object, memberSources: MemberSources) =>
  (await findMembers(body(more), memberSources)).members.map(({ model }) => model.model_id)

describe('the members of a study', () => {
  const a = [training(0, {}), training(1, { seed: 1 })]

  it('are the models of a variant, or of all', async () => {
    const b = [training(2, { variant: 'b' })]
    expect(await names({ study_id: STUDY, variant: 'a' }, sources([...a, ...b]))).toEqual(['of-0', 'of-1'])
    expect((await findMembers(body({ study_id: STUDY, variant: 'a' }), sources(a))).name).toBe(
      'ensemble of photos/a',
    )
  })

  it('are the chosen trials of a search, and empty without a choice', async () => {
    const trial = (position: number, seed: number, number: number, value: number | null) =>
      training(position, { variant: 'search', seed, trial: number, value, metrics: {} })
    const trials = [trial(2, 0, 0, 0.5), trial(3, 0, 1, 0.4), trial(4, 1, 0, 0.3), trial(5, 1, 1, 0.6)]
    const chosen = await names({ study_id: STUDY, variant: 'search' }, sources([...a, ...trials]))
    expect(chosen).toHaveLength(2)
    const unmeasured = [...trials.slice(0, 2), trial(4, 1, 0, null), trial(5, 1, 1, null)]
    await expect(
      names({ study_id: STUDY, variant: 'search' }, sources([...a, ...unmeasured])),
    ).rejects.toMatchObject({
      code: 'MEMBER_NOT_TRAINED',
      message: expect.stringContaining('1 combination of seed and fold'),
    })
  })

  it('are refused while it runs, if one is incomplete, if there is only one, and for an unknown variant', async () => {
    const failed = training(1, { seed: 1, status: 'failed' })
    for (const [trainings, variant, code, words] of [
      [[training(0, {}), failed], 'a', 'MEMBER_NOT_TRAINED', 'a, seed 1: failed'],
      [[training(0, {})], 'a', 'INVALID_REQUEST', 'at least two'],
      [a, 'c', 'INVALID_REQUEST', 'it has a'],
    ] as const)
      await expect(names({ study_id: STUDY, variant }, sources(trainings))).rejects.toMatchObject({
        code,
        message: expect.stringContaining(words),
      })
    await expect(names({ study_id: STUDY }, sources(a, 'running'))).rejects.toMatchObject({
      code: 'STUDY_RUNNING',
    })
  })
})

it('a job whose model was removed cannot be a member', async () => {
  const memberSources = {
    ...sources([]),
    job: async () => ({ model_id: null, status: 'completed' }) as never,
  }
  await expect(names({ job_ids: [job(1), job(2)] }, memberSources)).rejects.toMatchObject({
    code: 'MEMBER_NOT_TRAINED',
    message: expect.stringContaining('job_ids.0'),
  })
})

it('members are selected in only one way', () => {
  for (const [given, place] of [
    [{}, 'study_id'],
    [{ study_id: STUDY, models: ['a', 'b'] }, 'models'],
    [{ models: ['a', 'b'], variant: 'a' }, 'variant'],
    [{ models: ['a', 'a'] }, 'models'],
  ] as const)
    expect(EnsembleRequest.safeParse(given).error?.issues[0]?.path).toEqual([place])
})
