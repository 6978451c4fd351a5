/** Reads an option that may be given several times: every value is kept, in order. */
export function collect(value: string, before: readonly string[]): string[] {
  return [...before, value]
}
