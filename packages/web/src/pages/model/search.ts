export const CASE_ORDERS = ['loss', 'confidence', 'probability', 'disagreement', 'risk', 'row'] as const
export type CaseOrder = (typeof CASE_ORDERS)[number]

/** State of a model's page, stored entirely in the address: a link shows the same evaluation, threshold and cases. */
export interface ModelSearch {
  readonly evaluation?: string | undefined
  /** Threshold of the slider; absent: the one selected on validation. */
  readonly threshold?: number | undefined
  /** Class or label of the curves. */
  readonly class?: string | undefined
  /** Filter for the cases. */
  readonly truth?: string | undefined
  readonly predicted?: string | undefined
  readonly correct?: 'true' | 'false' | undefined
  /** Format: column=value. */
  readonly group?: string | undefined
  /** Range of the probability, or of the confidence if there are more than two classes. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly by?: CaseOrder | undefined
  readonly order?: 'asc' | undefined
}

/** Reads the valid parameters of the address; invalid ones are ignored. */
export function modelSearch(params: Record<string, unknown>): ModelSearch {
  const [from, to] = [share(params.from), share(params.to)]
  const range = from !== undefined && to !== undefined && from <= to
  return {
    evaluation: text(params.evaluation),
    threshold: share(params.threshold),
    class: text(params.class),
    truth: text(params.truth),
    predicted: text(params.predicted),
    correct:
      params.correct === true || params.correct === 'true'
        ? 'true'
        : isNo(params.correct)
          ? 'false'
          : undefined,
    group: text(params.group)?.includes('=') ? text(params.group) : undefined,
    from: range ? from : undefined,
    to: range ? to : undefined,
    by: CASE_ORDERS.find((known) => known === params.by),
    order: params.order === 'asc' ? 'asc' : undefined,
  }
}

/** No filters. */
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

/** Class names are often 0 and 1. */
function text(value: unknown): string | undefined {
  const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return known && value !== '' ? String(value).slice(0, 500) : undefined
}

function share(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined
}
