/** A field in the path of a route, in RFC 6570 notation: `{job_id}` is one segment, `{+path}` all remaining segments. */
const FIELD = /\{(\+?)(\w+)\}/g

/** Path of a route with each of its fields replaced. */
export function fillPath(path: string, fill: (name: string, severalParts: boolean) => string): string {
  return path.replaceAll(FIELD, (_, plus: string, name: string) => fill(name, plus === '+'))
}

/** Regular expression for the addresses of a route. */
export function addressPattern(path: string): RegExp {
  return new RegExp(`^${fillPath(path, (_, severalParts) => (severalParts ? '.+' : '[^/]+'))}/?$`)
}
