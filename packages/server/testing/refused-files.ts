import { sep } from 'node:path'

/** Path → name of the error with which the file system of a test refuses it and everything in it. */
const refused = new Map<string, string>()

/** From here on, every access to a path fails with this error, even for an administrator. */
export function refuse(path: string, code: string): void {
  refused.set(path, code)
}

export function refuseNothing(): void {
  refused.clear()
}

/**
 * A version of `node:fs/promises` for a test that refuses these paths. A test installs it with `vi.doMock` and loads its modules after
 * that.
 */
export function refusing<Module extends object>(files: Module): Module {
  const wrapped = Object.entries(files).map(([name, value]) => [
    name,
    typeof value === 'function' ? refusable(name, value) : value,
  ])
  return { ...Object.fromEntries(wrapped), default: files } as Module
}

function refusable(name: string, call: (...values: unknown[]) => unknown) {
  return (...values: unknown[]) => {
    const code = codeOf(values)
    if (code === null) return call(...values)
    const error = new Error(`${code}: refused, ${name}`)
    return Promise.reject(Object.assign(error, { code, syscall: name, path: String(values[0]) }))
  }
}

function codeOf(values: unknown[]): string | null {
  const paths = values.slice(0, 2).filter((value) => typeof value === 'string')
  for (const [place, code] of refused)
    if (paths.some((path) => path === place || path.startsWith(place + sep))) return code
  return null
}
