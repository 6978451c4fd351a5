import type { Study } from './live-study'

type Variant = Study['variants'][number]

/** The least that is more than a model by itself. */
const LEAST_MEMBERS = 2

/** Whether the models of a variant can be one ensemble: the study has ended and left several of them. */
export function isCombinable(
  { status }: Pick<Study, 'status'>,
  { kind, num_completed }: Pick<Variant, 'kind' | 'num_completed'>,
): boolean {
  return status !== 'running' && kind === 'trained' && num_completed >= LEAST_MEMBERS
}

/** Whether members held out different folds: together they know every row that is no test row. */
export function isOfFolds({ jobs }: { readonly jobs: Study['jobs'] }, variant: string): boolean {
  const held = jobs.filter((job) => job.variant === variant).map(({ repeat, fold }) => `${repeat} ${fold}`)
  return new Set(held).size > 1
}
