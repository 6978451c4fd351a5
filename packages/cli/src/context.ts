/** Data that the commands share with each other and with the end of the process. */
export interface CommandContext {
  /** The arguments as typed, after the name of the program. */
  readonly argv: readonly string[]
  exitCode: number
  /** Position of an issue in the user's file: "file:line". */
  placeOf: (issue: { path: string }) => string | null
}

export function createContext(argv: readonly string[]): CommandContext {
  return { argv, exitCode: 0, placeOf: () => null }
}
