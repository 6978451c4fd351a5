import type { RouteResponse } from '@medloom/contracts'

type InputColumn = RouteResponse<'getModelInputs'>['columns'][number]

/** `1.234`: a decimal number in one notation, and a whole number with a group of thousands in the other. */
const AMBIGUOUS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/
const GROUPED = {
  '.': /^[+-]?\d{1,3}(?:\.\d{3})+(?:,\d+)?$/,
  ',': /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/,
}
const SPACED = /^[+-]?\d{1,3}(?:[ '\u2019]\d{3})+(?:[.,]\d+)?$/
const PLAIN = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
/** A number with a bound is read as the bound: `<0.1`, `89+`. */
const BOUND = /^(?:[<>≤≥]=?\s*([^<>=]+)|([^+]+)\+)$/
const MINUS = /^(?:[\u2010-\u2013\u2212\ufe63\uff0d]\s*|-\s+)(?=[\d.,])/

type Mark = '.' | ','

/** The number that the service reads from an entered text (data/tables/numbers.py of the trainer). */
export function numberOf(
  text: string,
  { marks, unit }: Pick<InputColumn, 'marks' | 'unit'>,
): number | 'notNumber' | 'ambiguous' {
  const bound = BOUND.exec(text)
  const bare = withoutUnit((bound?.[1] ?? bound?.[2] ?? text).trim(), unit).replace(MINUS, '-')
  const number = SPACED.test(bare) ? bare.replace(/[ '\u2019]/g, '') : bare
  const decimal = decimalOf(number, marks)
  if (decimal === null) return 'ambiguous'
  const other = decimal === ',' ? '.' : ','
  const plain = (GROUPED[other].test(number) ? number.replaceAll(other, '') : number).replace(decimal, '.')
  return PLAIN.test(plain) ? Number(plain) : 'notNumber'
}

/** The decimal mark of a number, by its own marks or else by those of the training; null if both are possible. */
function decimalOf(number: string, marks: InputColumn['marks']): Mark | null {
  if (AMBIGUOUS.test(number)) {
    const { decimal, thousands } = marks ?? { decimal: '.' as const, thousands: '' }
    return number.includes(decimal) || (thousands !== '' && number.includes(thousands)) ? decimal : null
  }
  const certain = (decimal: Mark, groups: Mark) =>
    GROUPED[groups].test(number) && (number.includes(decimal) || number.split(groups).length > 2)
  if (certain('.', ',')) return '.'
  return certain(',', '.') || (number.includes(',') && !number.includes('.')) ? ',' : '.'
}

function withoutUnit(text: string, unit: string | null): string {
  if (unit === null) return text
  if (text.startsWith(unit)) return text.slice(unit.length).trim()
  return text.endsWith(unit) ? text.slice(0, -unit.length).trim() : text
}
