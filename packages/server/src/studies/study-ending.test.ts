import { phrase } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { AppError } from '../errors.js'
import { endingOf, withoutResults } from './study-ending.js'
import type { StudyRecord, TrainingRecord } from './study-record.js'

const NOT_FINITE = {
  code: 'LOSS_NOT_FINITE',
  message: 'the validation cases have only one class',
  message_phrases: [phrase('validation_of_one_class')],
}

const study = (given: Partial<StudyRecord> = {}) =>
  ({ config: { search: null }, request: null, error: null, ...given }) as unknown as StudyRecord
const trainings = (...statuses: TrainingRecord['status'][]) =>
  statuses.map(
    (status) =>
      ({ status, due: false, trial: null, error: status === 'failed' ? NOT_FINITE : null }) as TrainingRecord,
  )

describe('the end of a study', () => {
  it.each([
    ['all trainings', study(), ['completed', 'completed'], 'All 2 trainings completed.'],
    [
      'a request',
      study({ request: 'stop' }),
      ['completed', 'stopped'],
      'Stopped: 1 of 2 trainings completed.',
    ],
    [
      'an error that prevents further trainings',
      study({ error: { code: 'STUDY_DATA_CHANGED', message: 'the table has changed' } }),
      ['completed', 'waiting'],
      'the table has changed; 1 of 2 trainings completed.',
    ],
    [
      'failed trainings',
      study(),
      ['completed', 'failed', 'removed'],
      '1 of 3 trainings failed, 1 removed; first error: the validation cases have only one class [LOSS_NOT_FINITE]',
    ],
  ] as const)('after %s is described', (_, given, statuses, text) => {
    expect(endingOf(given, trainings(...statuses)).text.english).toBe(text)
  })

  it('has phrases, with those of the first error', () => {
    const { text, error } = endingOf(study(), trainings('completed', 'failed'))
    expect(text.phrases).toEqual([
      phrase('trainings_of_status', { number: 1, count: 2, status: [phrase('status_failed')] }),
      {
        ...phrase('first_error', { error: NOT_FINITE.message_phrases, code: NOT_FINITE.code }),
        mark: 'semicolon',
      },
    ])
    expect(error).toMatchObject({ code: 'STUDY_INCOMPLETE', message_phrases: text.phrases })
  })

  it('without results names the error, unless it has failed for another reason', () => {
    const complete = endingOf(study(), trainings('completed'))
    const error = new AppError('TRAINER_FAILED', phrase('results_not_computed'))
    expect(withoutResults(complete, error)).toMatchObject({
      status: 'failed',
      error: {
        code: 'TRAINER_FAILED',
        message:
          'All 1 training completed. Their results could not be computed: the results could not be computed',
      },
    })
    const failed = endingOf(study(), trainings('failed'))
    expect(withoutResults(failed, error)).toBe(failed)
  })
})
