import type { Warning } from './warnings.js'

/** Stored warnings: versions before 0.2 kept the messages of nodes alone. */
export function readWarnings(stored: readonly (Warning | string)[]): Warning[] {
  return stored.map((warning) =>
    typeof warning === 'string' ? { code: 'UNSPECIFIED', message: warning } : warning,
  )
}
