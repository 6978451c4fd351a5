import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { REPOSITORY } from '../../tests/testing/service.js'

/** A measurement with its limit, and a reference measured in the same run. */
export interface Figure {
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly limit?: { readonly at: 'most' | 'least'; readonly value: number }
  /** Reference without the service on the same machine in the same run. */
  readonly peer?: { readonly name: string; readonly value: number }
}

const PAGE = join(REPOSITORY, 'docs/scale.md')

export function isWithinLimit({ value, limit }: Figure): boolean {
  if (!limit) return true
  return limit.at === 'most' ? value <= limit.value : value >= limit.value
}

/** Columns: subject, measurement, limit, whether it is met, reference. */
export function cells(figure: Figure): string[] {
  const { what, value, unit, limit, peer } = figure
  return [
    what,
    shown(value, unit),
    limit ? `${limit.at === 'most' ? '≤' : '≥'} ${shown(limit.value, unit)}` : '',
    limit ? (isWithinLimit(figure) ? 'met' : 'MISSED') : '',
    peer ? `${peer.name}: ${shown(peer.value, unit)} (${ratio(value / peer.value)})` : '',
  ]
}

export function line(figure: Figure): string {
  const [what = '', value = '', limit = '', verdict = '', peer = ''] = cells(figure)
  return `${what.padEnd(66)}${value.padStart(18)}  ${limit.padEnd(18)}${verdict.padEnd(8)}${peer}`
}

/** Writes the measurements between the markers of `part`. */
export async function writeFigures(part: string, about: string, figures: readonly Figure[]): Promise<void> {
  const page = await readFile(PAGE, 'utf8')
  const begin = `<!-- bench:scale ${part}: generated, do not edit -->\n`
  const end = `<!-- end of ${part} -->`
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${PAGE} lacks the marks of ${part}`)
  const rows = figures.map((figure) => `| ${cells(figure).join(' | ')} |`)
  const head = ['| what | measured | limit | | reference |', '|---|---|---|---|---|']
  const text = ['', about, '', ...head, ...rows, '', ''].join('\n')
  await writeFile(PAGE, page.slice(0, from + begin.length) + text + page.slice(to))
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

function shown(value: number, unit: string): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return `${value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`
}

function ratio(value: number): string {
  return `${value >= 10 ? value.toFixed(0) : value.toFixed(2)} ×`
}
