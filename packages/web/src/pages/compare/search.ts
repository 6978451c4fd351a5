import { AGREEMENTS, type Agreement } from '@medloom/contracts/plain'
import { type CurveLook, curveLook } from '../../charts/curve-look'

/** Maximum number of jobs per request for curves. */
export const MOST_JOBS = 20
const ORDERS = ['asc', 'desc'] as const

/** State of the page in the address. */
export interface CompareSearch extends CurveLook {
  readonly jobs?: readonly string[] | undefined
  /** Shows equal keys too. */
  readonly all?: true | undefined
  /** Two models on the same cases: the running task, then the resulting comparison. */
  readonly task?: string | undefined
  readonly comparison?: string | undefined
  /** Filter for the cases of the comparison. */
  readonly agreement?: Agreement | undefined
  readonly order?: (typeof ORDERS)[number] | undefined
}

/** Reads the valid parameters of the address; invalid ones are ignored. */
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
