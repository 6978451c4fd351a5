import { AGREEMENTS, type Agreement } from '@medloom/contracts/plain'
import { type CurveSettings, parseCurveSettings } from '../../charts/curve-settings'

/** Maximum number of jobs per request for curves. */
export const MAX_JOBS = 20
const ORDERS = ['asc', 'desc'] as const

/** State of the page in the address. */
export interface CompareSearch extends CurveSettings {
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
export function compareSearch(params: Record<string, unknown>): CompareSearch {
  const jobs = Array.isArray(params.jobs) ? params.jobs.filter((id) => typeof id === 'string') : []
  return {
    jobs: jobs.length > 0 ? [...new Set<string>(jobs)].slice(0, MAX_JOBS) : undefined,
    all: params.all === true ? true : undefined,
    ...parseCurveSettings(params),
    task: text(params.task),
    comparison: text(params.comparison),
    agreement: AGREEMENTS.find((known) => known === params.agreement),
    order: ORDERS.find((known) => known === params.order),
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
