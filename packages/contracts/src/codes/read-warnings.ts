import type { Warning } from './warnings.js'

/** Stored warnings: earlier versions kept only the messages of nodes. */
export function readWarnings(stored: readonly (Warning | string)[]): Warning[] {
  return stored.map((warning) =>
    typeof warning === 'string' ? { code: 'UNSPECIFIED', message: warning } : warning,
  )
}
