/** The value of a JSON column; the caller states its type. */
export function parsed<Value>(text: string | null): Value | null {
  return text === null ? null : (JSON.parse(text) as Value)
}
