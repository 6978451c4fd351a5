/** An earlier state of the repository whose data folders must open. */
export interface State {
  readonly name: string
  readonly commit: string
  /** The state has studies. */
  readonly studies: boolean
}

/** Releases, and a state that was in use. A new release adds a line. */
export const STATES: readonly State[] = [
  { name: '0.1.0', commit: '43fb4a0c', studies: false },
  { name: 'unreleased, 27 November 2026', commit: '76e37792', studies: true },
  { name: '0.2.0', commit: 'd916d618', studies: true },
]
