import { type Field, pathOf } from './schema'

/** Dotted path → error at this path. */
export type Problems = ReadonlyMap<string, string>

/** Error of a field: at its own path, or inside its value, with the inner path. */
export function problemAt(problems: Problems, field: Pick<Field, 'path'>): string | undefined {
  const path = pathOf(field)
  const exact = problems.get(path)
  if (exact !== undefined) return exact
  const [inside, message] = [...problems].find(([candidate]) => candidate.startsWith(`${path}.`)) ?? []
  return inside === undefined ? undefined : `${inside.slice(path.length + 1)}: ${message}`
}
