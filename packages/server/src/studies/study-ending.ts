import {
  after,
  asValue,
  fieldsOf,
  joinTexts,
  type Phrase,
  type PhraseCode,
  phrase,
  statusPhrase,
  type Text,
  textOf,
} from '@medloom/contracts'
import { AppError } from '../errors.js'
import { searchCells } from './search/trials.js'
import { isComplete, type StudyRecord, type TrainingRecord } from './study-record.js'

/** Final status of a study, its summary, and its error if it failed. */
export interface Ending extends Pick<StudyRecord, 'status' | 'error'> {
  readonly text: Text
}

/** The end of a study whose trainings have ended. */
export function endingOf(
  study: Pick<StudyRecord, 'config' | 'request' | 'error'>,
  trainings: readonly TrainingRecord[],
): Ending {
  const cells = searchCells(study.config, trainings)
  const rest = trainings.filter((training) => training.trial === null && !isComplete(training))
  if (rest.length === 0 && cells.every(({ ended, best }) => ended && best))
    return { status: 'completed', text: textOf(allEnded(trainings)), error: null }
  const complete = trainings.filter(isComplete).length
  const progress = [
    phrase('trainings_of_status', {
      number: complete,
      count: trainings.length,
      status: statusPhrase('completed'),
    }),
  ]
  if (study.request === 'stop')
    return { status: 'stopped', text: textOf(phrase('study_stopped', { progress })), error: null }
  if (study.error) {
    const { message: english, message_phrases: phrases } = study.error
    const text = textOf(phrase('study_failed', { error: asValue({ english, phrases }), progress }))
    return { status: 'failed', text, error: study.error }
  }
  return failed(trainings, cells.filter(({ ended, best }) => ended && !best).length)
}

/** The trainings are kept: a resumed study computes its results again. */
export function withoutResults(ending: Ending, error: unknown): Ending {
  if (ending.error) return ending
  const { code, text } =
    error instanceof AppError ? error : new AppError('TRAINER_FAILED', phrase('results_not_computed'))
  const why = phrase('no_study_results', { error: asValue(text) })
  return withError(code, joinTexts([ending.text, why], 'space'))
}

function allEnded(trainings: readonly TrainingRecord[]): Phrase {
  const others = countsOf(trainings, ['pruned', 'failed'])
  const count = trainings.length
  if (others.length === 0) return phrase('all_trainings_completed', { count })
  const counts = [...countsOf(trainings, ['completed']), ...others].map(({ number, status }) =>
    phrase('number_of_status', { number, status }),
  )
  return phrase('all_trainings_ended', { count, counts })
}

/** @param unchosen number of seeds and folds on which no trial has a value. */
function failed(trainings: readonly TrainingRecord[], unchosen: number): Ending {
  const wrong = trainings.filter((training) => !isComplete(training))
  const counts = countsOf(wrong, ['failed', 'stopped', 'removed']).map(({ number, status }, index) =>
    index === 0
      ? phrase('trainings_of_status', { number, count: trainings.length, status })
      : phrase('number_of_status', { number, status }),
  )
  const chosen = unchosen === 0 ? [] : [phrase('no_completed_trial', { count: unchosen })]
  const first = wrong.find(({ error }) => error)?.error
  const errors = first ? [firstError(first)] : []
  const [begin = [], ...others] = [counts, chosen, errors].filter((phrases) => phrases.length > 0)
  return withError(
    'STUDY_INCOMPLETE',
    textOf([...begin, ...others.flat().map((one) => after('semicolon', one))]),
  )
}

function firstError({ code, message, message_phrases }: NonNullable<TrainingRecord['error']>): Phrase {
  return phrase('first_error', { error: message_phrases ?? message, code })
}

function withError(code: string, text: Text): Ending {
  return { status: 'failed', text, error: { code, ...fieldsOf('message', text) } }
}

const STATUSES = {
  completed: 'status_completed',
  pruned: 'status_pruned',
  failed: 'status_failed',
  stopped: 'status_stopped',
  removed: 'status_removed',
} as const satisfies Partial<Record<TrainingRecord['status'], PhraseCode>>

/** Numbers of trainings with these statuses, without those that have none. */
function countsOf(trainings: readonly TrainingRecord[], statuses: readonly (keyof typeof STATUSES)[]) {
  return statuses.flatMap((status) => {
    const number = trainings.filter((training) => training.status === status).length
    return number === 0 ? [] : [{ number, status: [phrase(STATUSES[status])] }]
  })
}
