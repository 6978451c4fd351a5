import { useLocale } from 'react-aria-components'
import type { Language } from './define'
import { languageOf } from './use-text'

/** Numbers and times in the format of the reader's language. */
export interface Formatters {
  /** A metric with three decimal places and a minus sign; an em dash if it has no value. */
  metric(value: number | null | undefined): string
  /** A p value: never 0. */
  p(value: number | null | undefined): string
  /** Two bounds of an interval. */
  range(low: number | null | undefined, high: number | null | undefined): string
  /** A count, with separators. */
  count(value: number): string
  /** A tick of an axis in the shortest exact form: a learning rate must not appear as 0.001 five times. */
  tick(value: number): string
  /** A number with four significant digits. */
  short(value: number): string
  /** A fraction as a percentage. */
  percent(value: number): string
  /** Bytes in the largest fitting unit. */
  bytes(value: number): string
  /** A duration in its two largest units. */
  duration(seconds: number): string
  /** A date and time in short form. */
  moment(timestamp: string): string
}

export const NONE = '—'
const MINUS = '\u2212'
const BETWEEN = { en: 'to', zh: '至' } as const satisfies Record<Language, string>
const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
const known = new Map<string, Formatters>()

export function useFormatters(): Formatters {
  return formattersOf(useLocale().locale)
}

export function formattersOf(locale: string): Formatters {
  const made = known.get(locale) ?? makeFormatters(locale)
  known.set(locale, made)
  return made
}

function makeFormatters(locale: string): Formatters {
  const fixed = new Intl.NumberFormat(locale, { minimumFractionDigits: 3, maximumFractionDigits: 3 })
  const precise = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3, notation: 'scientific' })
  const whole = new Intl.NumberFormat(locale)
  const short = new Intl.NumberFormat(locale, { maximumSignificantDigits: 4 })
  const exact = {
    plain: new Intl.NumberFormat(locale, { maximumSignificantDigits: 6 }),
    scientific: new Intl.NumberFormat(locale, { maximumSignificantDigits: 6, notation: 'scientific' }),
  }
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
  const date = new Intl.DateTimeFormat(locale, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  })
  const metric = (value: number | null | undefined) => {
    if (value === null || value === undefined) return NONE
    return withMinus(isExtreme(value) ? precise : fixed, value)
  }
  return {
    metric,
    p: (value) => (typeof value === 'number' && value < 0.001 ? `< ${fixed.format(0.001)}` : metric(value)),
    range: (low, high) =>
      typeof low === 'number' && typeof high === 'number'
        ? `${metric(low)} ${BETWEEN[languageOf(locale)]} ${metric(high)}`
        : NONE,
    count: (value) => withMinus(whole, value),
    tick: (value) => withMinus(isExtreme(value) ? exact.scientific : exact.plain, value),
    short: (value) => withMinus(short, value),
    percent: (value) => withMinus(share, value),
    bytes: (value) => {
      const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3))
      const unit = UNITS[power] ?? 'byte'
      const format = { style: 'unit', unit, maximumFractionDigits: power === 0 ? 0 : 1 } as const
      return new Intl.NumberFormat(locale, format).format(value / 1000 ** power)
    },
    duration: (seconds) => duration(locale, seconds),
    moment: (timestamp) => date.format(new Date(timestamp)),
  }
}

/** Reports whether a value is too small or too large for the usual number of decimal places. */
function isExtreme(value: number): boolean {
  const size = Math.abs(value)
  return size !== 0 && (size < 0.001 || size >= 1e6)
}

/** A number with the minus sign of print, also in its exponent. */
function withMinus(format: Intl.NumberFormat, value: number): string {
  return format
    .formatToParts(value)
    .map(({ type, value: text }) => (type === 'minusSign' || type === 'exponentMinusSign' ? MINUS : text))
    .join('')
}

function duration(locale: string, seconds: number): string {
  const units = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
  ] as const
  let rest = Math.max(0, seconds)
  if (rest < 10) return unit(locale, 'second', rest, 1)
  rest = Math.round(rest)
  const parts: string[] = []
  for (const [name, size] of units) {
    const amount = Math.floor(rest / size)
    if (amount === 0 && parts.length === 0) continue
    rest -= amount * size
    if (amount > 0) parts.push(unit(locale, name, amount, 0))
    if (parts.length === 2 || (parts.length === 1 && amount === 0)) break
  }
  return parts.join(' ')
}

function unit(locale: string, name: string, amount: number, digits: number): string {
  const format = { style: 'unit', unit: name, unitDisplay: 'narrow', maximumFractionDigits: digits } as const
  return new Intl.NumberFormat(locale, format).format(amount)
}
