/**
 * The trace of a failed node if it helps the reader, as that of a custom node. The stack of the service, whose lines end with a file, a
 * line and a column, does not help to correct the input; `--json` contains it.
 */
export function userTrace(trace: string | null): string | null {
  return trace === null || /^\s+at .*:\d+:\d+\)?$/m.test(trace) ? null : trace
}
