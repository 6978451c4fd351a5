/** What the commands share with each other and with the end of the process. */
export interface CommandContext {
  /** The arguments as they were typed, after the name of the program. */
  readonly argv: readonly string[]
  exitCode: number
  /** Where in the user's file an issue is: "file:line". */
  placeOf: (issue: { path: string }) => string | null
}

export function createContext(argv: readonly string[]): CommandContext {
  return { argv, exitCode: 0, placeOf: () => null }
}
