export const CASE_ORDERS = ['loss', 'confidence', 'probability', 'disagreement', 'risk', 'row'] as const
export type CaseOrder = (typeof CASE_ORDERS)[number]

/** What is looked at of a model, all of it in the address: a link shows the same evaluation, threshold and cases. */
export interface ModelSearch {
  readonly evaluation?: string | undefined
  /** Of the slider; absent: the one that validation chose. */
  readonly threshold?: number | undefined
  /** The class or label that curves speak of. */
  readonly class?: string | undefined
  /** Which cases are shown. */
  readonly truth?: string | undefined
  readonly predicted?: string | undefined
  readonly correct?: 'true' | 'false' | undefined
  /** column=value */
  readonly group?: string | undefined
  /** The range of the probability, or of the confidence where there are more than two classes. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly by?: CaseOrder | undefined
  readonly order?: 'asc' | undefined
}

/** What an address says, as far as it makes sense; the rest is left out. */
export function modelSearch(given: Record<string, unknown>): ModelSearch {
  const [from, to] = [share(given.from), share(given.to)]
  const range = from !== undefined && to !== undefined && from <= to
  return {
    evaluation: text(given.evaluation),
    threshold: share(given.threshold),
    class: text(given.class),
    truth: text(given.truth),
    predicted: text(given.predicted),
    correct:
      given.correct === true || given.correct === 'true' ? 'true' : isNo(given.correct) ? 'false' : undefined,
    group: text(given.group)?.includes('=') ? text(given.group) : undefined,
    from: range ? from : undefined,
    to: range ? to : undefined,
    by: CASE_ORDERS.find((known) => known === given.by),
    order: given.order === 'asc' ? 'asc' : undefined,
  }
}

/** Nothing is filtered. */
export const ALL_CASES = {
  truth: undefined,
  predicted: undefined,
  correct: undefined,
  group: undefined,
  from: undefined,
  to: undefined,
} as const satisfies Partial<ModelSearch>

export function isFiltered(search: ModelSearch): boolean {
  return Object.keys(ALL_CASES).some((name) => search[name as keyof typeof ALL_CASES] !== undefined)
}

function isNo(value: unknown): boolean {
  return value === false || value === 'false'
}

/** Classes are often called 0 and 1. */
function text(value: unknown): string | undefined {
  const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return known && value !== '' ? String(value).slice(0, 500) : undefined
}

function share(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined
}
