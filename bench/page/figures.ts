import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { REPOSITORY } from '../../tests/testing/service.js'

type Unit = 'ms' | 'kB' | '%'

/** A measurement with its limit. */
export interface Figure {
  readonly what: string
  readonly shown: string
  /** null: shown for comparison. */
  readonly limit: string | null
  readonly met: boolean
}

const PAGE = join(REPOSITORY, 'docs/benchmarks.md')

/** Limits are integers, and compared values are rounded: two frames of 60 Hz, 33.3 ms, meet 33 ms. */
export function figure(what: string, value: number, limit: number, unit: Unit): Figure {
  // NaN means that nothing was measured, and reaches no limit.
  return {
    what,
    shown: withUnit(value, unit),
    limit: `${limit} ${unit}`,
    met: Math.round(value) <= limit,
  }
}

/** A part that could not be measured, with the reason: it reaches no limit, and the others are measured in any case. */
export async function attempted(
  what: string,
  limit: number,
  unit: Unit,
  measure: () => Promise<number>,
): Promise<Figure> {
  try {
    return figure(what, await measure(), limit, unit)
  } catch (error) {
    // One line, suitable for a table cell.
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    return { what, shown: `not measured: ${reason}`, limit: `${limit} ${unit}`, met: false }
  }
}

/** A measurement without a limit. */
export function shown(what: string, value: number, unit: Unit): Figure {
  return { what, shown: withUnit(value, unit), limit: null, met: true }
}

function withUnit(value: number, unit: Unit): string {
  return `${value.toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} ${unit}`
}

export function line({ what, shown, limit, met }: Figure): string {
  const verdict = limit === null ? '' : `   limit ${limit.padStart(8)}   ${met ? 'met' : 'NOT MET'}`
  return `${what.padEnd(76)} ${shown.padStart(12)}${verdict}`
}

/** Writes the measurements of a part between its markers. */
export async function writeFigures(part: string, figures: readonly Figure[]): Promise<void> {
  const page = await readFile(PAGE, 'utf8')
  const begin = `<!-- bench:page ${part}: generated, do not edit -->\n`
  const end = `<!-- end of ${part} -->`
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${PAGE} lacks the marks of ${part}`)
  const rows = figures.map(({ what, shown, limit, met }) =>
    limit === null
      ? `| ${what} | ${shown} | | |`
      : `| ${what} | ${shown} | ${limit} | ${met ? 'met' : '**not met**'} |`,
  )
  const table = ['', '| what | measured | limit | |', '|---|---|---|---|', ...rows, '', ''].join('\n')
  await writeFile(PAGE, page.slice(0, from + begin.length) + table + page.slice(to))
}
