/** null where nothing that may be read is at a path. */
export async function unlessAbsent<Value>(value: Promise<Value>): Promise<Value | null> {
  try {
    return await value
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENAMETOOLONG', 'EACCES'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  )
}
