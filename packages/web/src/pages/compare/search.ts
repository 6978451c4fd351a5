import { AGREEMENTS, type Agreement } from '@medloom/contracts/plain'
import { type CurveLook, curveLook } from '../../charts/curve-look'

/** As many as the curves of one request. */
export const MOST_JOBS = 20
const ORDERS = ['asc', 'desc'] as const

/** What is compared, in the address. */
export interface CompareSearch extends CurveLook {
  readonly jobs?: readonly string[] | undefined
  /** Keys that are equal too. */
  readonly all?: true | undefined
  /** Two models on the same cases: the task that measures them, then what it found. */
  readonly task?: string | undefined
  readonly comparison?: string | undefined
  /** Which cases of it. */
  readonly agreement?: Agreement | undefined
  readonly order?: (typeof ORDERS)[number] | undefined
}

/** What an address says, as far as it makes sense; the rest is left out. */
export function compareSearch(given: Record<string, unknown>): CompareSearch {
  const jobs = Array.isArray(given.jobs) ? given.jobs.filter((id) => typeof id === 'string') : []
  return {
    jobs: jobs.length > 0 ? [...new Set<string>(jobs)].slice(0, MOST_JOBS) : undefined,
    all: given.all === true ? true : undefined,
    ...curveLook(given),
    task: text(given.task),
    comparison: text(given.comparison),
    agreement: AGREEMENTS.find((known) => known === given.agreement),
    order: ORDERS.find((known) => known === given.order),
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
