import type { StudyPhase } from '@medloom/contracts'

/** Stores and publishes the current phase of a study; detail: progress within the phase. */
export type TellPhase = (phase: StudyPhase, detail?: string) => Promise<void>

export function phaseInWords(phase: StudyPhase, detail?: string): string {
  return `${PHASES[phase]}${detail === undefined ? '' : `: ${detail}`}.`
}

const PHASES = {
  training: 'The trainings run',
  evaluating: 'The models are evaluated on the test split',
  results: 'The results are computed',
  report: 'The report is written',
} as const satisfies Record<StudyPhase, string>
