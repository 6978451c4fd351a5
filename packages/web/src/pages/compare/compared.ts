import type { Job } from '../run/live-job'
import type { CompareSearch } from './search'

/** What every part of the page is given: the trainings, and how to change the address, of which each reads what it shows. */
export interface Compared {
  readonly jobs: readonly Job[]
  readonly onChange: (changes: Partial<CompareSearch>) => void
}

/** What the address says of two models on the same cases. */
export type CasesSearch = Pick<CompareSearch, 'task' | 'comparison' | 'agreement' | 'order'>
