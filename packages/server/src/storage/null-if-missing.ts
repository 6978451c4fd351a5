const ABSENT = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENAMETOOLONG']

/** null if nothing exists at a path. A file without read permission exists: its error is thrown. */
export function nullIfMissing<Value>(value: Promise<Value>): Promise<Value | null> {
  return unless(ABSENT, value)
}

/** null if nothing readable exists at a path of a user. */
export function nullIfUnreadable<Value>(value: Promise<Value>): Promise<Value | null> {
  return unless([...ABSENT, 'EACCES'], value)
}

async function unless<Value>(codes: readonly string[], value: Promise<Value>): Promise<Value | null> {
  try {
    return await value
  } catch (error) {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}
