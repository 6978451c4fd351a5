import { type Field, pathOf } from './schema'

/** Dotted path → what is wrong there. */
export type Problems = ReadonlyMap<string, string>

/** What is wrong with a field: at its path, or inside of the value that it holds as a whole, with the place there. */
export function problemAt(problems: Problems, field: Pick<Field, 'path'>): string | undefined {
  const path = pathOf(field)
  const exact = problems.get(path)
  if (exact !== undefined) return exact
  const [inside, message] = [...problems].find(([place]) => place.startsWith(`${path}.`)) ?? []
  return inside === undefined ? undefined : `${inside.slice(path.length + 1)}: ${message}`
}
