/** The value of a column that holds JSON; the caller says what was stored there. */
export function parsed<Value>(text: string | null): Value | null {
  return text === null ? null : (JSON.parse(text) as Value)
}
