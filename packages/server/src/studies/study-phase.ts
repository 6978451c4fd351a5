import type { StudyPhase } from '@medloom/contracts'

/** Stores and publishes what a study does now; detail: how far it is with that. */
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
