import type { Study } from './live-study'

type Variant = Study['variants'][number]

/** Minimum size of an ensemble. */
const MIN_MEMBERS = 2

/** Reports whether the models of a variant can form an ensemble: the study has ended and has several completed models. */
export function canFormEnsemble(
  { status }: Pick<Study, 'status'>,
  { kind, num_completed }: Pick<Variant, 'kind' | 'num_completed'>,
): boolean {
  return status !== 'running' && kind === 'trained' && num_completed >= MIN_MEMBERS
}

/** Reports whether the members held out different folds: together they have seen every row outside the test set. */
export function hasSeveralFolds({ jobs }: { readonly jobs: Study['jobs'] }, variant: string): boolean {
  const heldOut = jobs.filter((job) => job.variant === variant).map(({ repeat, fold }) => `${repeat} ${fold}`)
  return new Set(heldOut).size > 1
}
