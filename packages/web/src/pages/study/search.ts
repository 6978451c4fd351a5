import { STUDY_STATUSES, type StudyStatus } from '@medloom/contracts/plain'

/** The choices of the list, in the address. */
export interface StudiesSearch {
  readonly status?: StudyStatus | undefined
}

export function studiesSearch({ status }: Record<string, unknown>): StudiesSearch {
  return { status: STUDY_STATUSES.find((known) => known === status) }
}

export const STUDY_TABS = ['results', 'trainings', 'search', 'configuration'] as const

/** What is looked at of a study, in the address. */
export interface StudySearch {
  readonly tab?: (typeof STUDY_TABS)[number] | undefined
  /** Absent: the metric that the study compares by. */
  readonly metric?: string | undefined
  /** Whose trainings are listed; absent: all. */
  readonly variant?: string | undefined
}

export function studySearch({ tab, metric, variant }: Record<string, unknown>): StudySearch {
  return {
    tab: STUDY_TABS.find((known) => known === tab),
    metric: text(metric),
    variant: text(variant),
  }
}

/** A variant may be called 5, which an address gives as a number. */
function text(value: unknown): string | undefined {
  return (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : undefined
}
