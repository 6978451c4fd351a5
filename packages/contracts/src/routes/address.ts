/** A field in the path of a route, as RFC 6570 writes it: `{job_id}` is one part, `{+path}` all parts that follow. */
const FIELD = /\{(\+?)(\w+)\}/g

/** The path of a route, each of its fields replaced. */
export function fillPath(path: string, fill: (name: string, severalParts: boolean) => string): string {
  return path.replaceAll(FIELD, (_, plus: string, name: string) => fill(name, plus === '+'))
}

/** What matches the addresses of a route. */
export function addressPattern(path: string): RegExp {
  return new RegExp(`^${fillPath(path, (_, severalParts) => (severalParts ? '.+' : '[^/]+'))}/?$`)
}
