import type { Warning } from './warnings.js'

/** Reads stored warnings: earlier versions stored only the messages of nodes. */
export function readWarnings(stored: readonly (Warning | string)[]): Warning[] {
  return stored.map((warning) =>
    typeof warning === 'string' ? { code: 'UNSPECIFIED', message: warning } : warning,
  )
}
