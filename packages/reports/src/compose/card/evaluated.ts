import { HELD_OUT, KNOWN_TO_TRAINING } from '@medloom/contracts'
import type { EvaluationRecord, ReportInput } from '../../report-input.js'

/** The input with the newest evaluation on a test split as its subject, so that every form describes the same results. */
export function aboutNewestTest(input: ReportInput): ReportInput {
  const newest = input.evaluations.reduce<EvaluationRecord | null>(
    (best, one) =>
      KNOWN_TO_TRAINING.includes(one.result.split) || (best && best.evaluated_at > one.evaluated_at)
        ? best
        : one,
    null,
  )
  return { ...input, subject: newest, failureImages: null }
}

/** Cases on which the results of a card were measured, for readers of a single table. */
export function testingIn({ subject, heldOut, validation, job }: ReportInput): string {
  if (subject)
    return `The results are those of the "${subject.result.split}" split, which the training did not use.`
  if (heldOut)
    return `The model was not evaluated on a test split. The results are those of the ${HELD_OUT} fold of a cross-validation.`
  if (validation)
    return 'The model was not evaluated on a test split. The results are those of the validation split only, on which the epoch was chosen: they are optimistic and do not estimate the performance on new patients.'
  return job.ensemble
    ? 'This ensemble was not evaluated, so there are no results.'
    : 'The model was not evaluated, so there are no results.'
}
