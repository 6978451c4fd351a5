export type CheckStatus = 'ok' | 'warn' | 'fail'

/** Result of one check: its subject, its status, and the remedy. */
export interface Check {
  readonly key: string
  readonly title: string
  readonly status: CheckStatus
  readonly message: string
  readonly remedy: string | null
}

export function ok(key: string, title: string, message: string): Check {
  return { key, title, status: 'ok', message, remedy: null }
}

export function warn(key: string, title: string, message: string, remedy: string): Check {
  return { key, title, status: 'warn', message, remedy }
}

export function fail(key: string, title: string, message: string, remedy: string): Check {
  return { key, title, status: 'fail', message, remedy }
}
