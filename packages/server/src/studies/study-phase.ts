import type { StudyPhase } from '@medloom/contracts'

/** Stores and publishes the current phase of a study; detail: progress within the phase. */
export type ReportPhase = (phase: StudyPhase, detail?: string) => Promise<void>

export function phaseInWords(phase: StudyPhase, detail?: string): string {
  return `${PHASES[phase]}${detail === undefined ? '' : `: ${detail}`}.`
}

const PHASES = {
  training: 'The trainings are running',
  evaluating: 'Evaluating the models on the test split',
  results: 'Computing the results',
  report: 'Writing the report',
} as const satisfies Record<StudyPhase, string>
