import type { Study } from './live-study'

type Variant = Study['variants'][number]

/** Minimum size of an ensemble. */
const LEAST_MEMBERS = 2

/** Reports whether the models of a variant can form an ensemble: the study has ended and has several completed models. */
export function isCombinable(
  { status }: Pick<Study, 'status'>,
  { kind, num_completed }: Pick<Variant, 'kind' | 'num_completed'>,
): boolean {
  return status !== 'running' && kind === 'trained' && num_completed >= LEAST_MEMBERS
}

/** Reports whether the members held out different folds: together they have seen every row outside the test set. */
export function isOfFolds({ jobs }: { readonly jobs: Study['jobs'] }, variant: string): boolean {
  const held = jobs.filter((job) => job.variant === variant).map(({ repeat, fold }) => `${repeat} ${fold}`)
  return new Set(held).size > 1
}
