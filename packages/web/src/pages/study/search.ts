import { STUDY_STATUSES, type StudyStatus } from '@medloom/contracts/plain'

/** Settings of the list, stored in the address. */
export interface StudiesSearch {
  readonly status?: StudyStatus | undefined
}

export function studiesSearch({ status }: Record<string, unknown>): StudiesSearch {
  return { status: STUDY_STATUSES.find((known) => known === status) }
}

export const STUDY_TABS = ['results', 'trainings', 'search', 'configuration'] as const

/** State of a study's page in the address. */
export interface StudySearch {
  readonly tab?: (typeof STUDY_TABS)[number] | undefined
  /** Absent: the main metric of the study. */
  readonly metric?: string | undefined
  /** Filters the trainings by variant; absent: all. */
  readonly variant?: string | undefined
}

export function studySearch({ tab, metric, variant }: Record<string, unknown>): StudySearch {
  return {
    tab: STUDY_TABS.find((known) => known === tab),
    metric: text(metric),
    variant: text(variant),
  }
}

/** A variant may be named 5, which the address parses as a number. */
function text(value: unknown): string | undefined {
  return (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : undefined
}
