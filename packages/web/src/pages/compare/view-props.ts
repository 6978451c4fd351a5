import type { Job } from '../run/live-job'
import type { CompareSearch } from './search'

/** Props of every part of the page: the trainings, and a function that changes the address. Each part reads its state from the address. */
export interface CompareViewProps {
  readonly jobs: readonly Job[]
  readonly onChange: (changes: Partial<CompareSearch>) => void
}

/** Address parameters for two models on the same cases. */
export type CasesSearch = Pick<CompareSearch, 'task' | 'comparison' | 'agreement' | 'order'>
