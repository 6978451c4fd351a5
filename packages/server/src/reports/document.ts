import type { Chart } from './charts/chart.js'

/**
 * A report before it has a format: sections of blocks that hold plain text, never markup. The HTML and the Markdown writer
 * both read this, so that what one says the other says too.
 */

export interface ReportDocument {
  readonly title: string
  readonly kicker: string
  readonly summary: readonly Fact[]
  readonly notices: readonly Notice[]
  readonly sections: readonly Section[]
  readonly footer: string
}

export interface Section {
  readonly id: string
  readonly title: string
  readonly blocks: readonly Block[]
}

export interface Fact {
  readonly term: string
  readonly value: string
  readonly note?: string
}

export interface Notice {
  readonly kind: 'notice'
  readonly tone: 'danger' | 'warning' | 'note'
  readonly title: string
  readonly text: string
}

export interface Column {
  readonly label: string
  readonly numeric?: boolean
}

/** Where an estimate and its interval lie between the ends of the scale. */
export interface Forest {
  readonly estimate: number
  readonly low: number | null
  readonly high: number | null
  readonly min: number
  readonly max: number
}

export type Cell =
  | string
  | { readonly text: string; readonly code: true }
  /** below: a second, smaller line */
  | { readonly text: string; readonly below: string }
  | { readonly text: string; readonly href: string }
  /** share: length of the bar behind the text, 0 to 1 */
  | { readonly text: string; readonly share: number }
  | { readonly text: string; readonly forest: Forest | null }

export interface Table {
  readonly kind: 'table'
  readonly caption: string
  readonly columns: readonly Column[]
  /** The first cell of a row is its header. */
  readonly rows: readonly (readonly Cell[])[]
  readonly notes?: readonly string[]
}

export interface FlowStep {
  readonly label: string
  readonly counts: string
  readonly left_out?: string
}

export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'facts'; readonly caption: string; readonly items: readonly Fact[] }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'code'; readonly caption: string; readonly text: string }
  /** Blanks that a human must fill in. */
  | {
      readonly kind: 'not_provided'
      readonly items: readonly { readonly title: string; readonly prompt: string }[]
    }
  /** Steps one below the other, then branches side by side. */
  | {
      readonly kind: 'flow'
      readonly caption: string
      readonly steps: readonly FlowStep[]
      readonly branches: readonly FlowStep[]
    }
  | { readonly kind: 'figures'; readonly figures: readonly Figure[] }
  | Table
  | Notice

/** A chart, and the same numbers as a table for those who cannot see it. */
export interface Figure {
  readonly chart: Chart
  readonly table: Table
}

export function paragraph(text: string): Block {
  return { kind: 'paragraph', text }
}

export function table(
  caption: string,
  columns: readonly (string | Column)[],
  rows: readonly (readonly Cell[])[],
  notes: readonly string[] = [],
): Table {
  return {
    kind: 'table',
    caption,
    columns: columns.map((column) => (typeof column === 'string' ? { label: column } : column)),
    rows,
    notes,
  }
}

export function numeric(label: string): Column {
  return { label, numeric: true }
}

export function cellText(cell: Cell): string {
  if (typeof cell === 'string') return cell
  return 'below' in cell ? `${cell.text} (${cell.below})` : cell.text
}
