import { type Phrase, type PhraseCode, phrase, type StudyPhase } from '@medloom/contracts'

/** Stores and publishes the current phase of a study; detail: progress of the computation of the results. */
export type ReportPhase = (phase: StudyPhase, detail?: readonly Phrase[]) => Promise<void>

export function studyPhase(phase: StudyPhase, detail?: readonly Phrase[]): Phrase {
  return detail ? phrase('study_phase_results_at', { detail }) : { code: PHASES[phase] }
}

const PHASES = {
  training: 'study_phase_training',
  evaluating: 'study_phase_evaluating',
  results: 'study_phase_results',
  report: 'study_phase_report',
} as const satisfies Record<StudyPhase, PhraseCode>
