import type { Job } from '../run/live-job'
import type { CompareSearch } from './search'

/** What every part of the page is given: the trainings, the choices of the address, and how to change these. */
export interface Compared {
  readonly jobs: readonly Job[]
  readonly search: CompareSearch
  readonly onChange: (changes: Partial<CompareSearch>) => void
}
