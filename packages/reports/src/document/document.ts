/**
 * A report independent of its format: sections of blocks with plain text, never markup. Every renderer (HTML, Markdown, PDF, Word) reads
 * this document, so that all formats have the same content.
 */

export interface ReportDocument {
  readonly title: string
  readonly kicker: string
  /** Names of the authors. */
  readonly byline?: string
  readonly summary: readonly Fact[]
  readonly notices: readonly Notice[]
  readonly sections: readonly Section[]
  readonly footer: string
  /** About one page: no table of contents, small type in PDF and Word. */
  readonly brief?: boolean
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

/** Position of an estimate and its interval on the scale. */
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

/** Steps below each other, followed by lanes side by side, each with steps below each other. */
export interface Flow {
  readonly kind: 'flow'
  readonly caption: string
  readonly steps: readonly FlowStep[]
  readonly lanes: readonly (readonly FlowStep[])[]
}

/** A statement that only the authors can provide. */
export interface Statement {
  readonly title: string
  /** Description of the expected text. */
  readonly prompt: string
  /** Null: not provided. */
  readonly text: string | null
}

/** A case with its images side by side. */
export interface ImageCase {
  readonly title: string
  readonly lines: readonly string[]
  readonly images: readonly { readonly png: string; readonly description: string }[]
}

export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'facts'; readonly caption: string; readonly items: readonly Fact[] }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'code'; readonly caption: string; readonly text: string }
  | { readonly kind: 'statements'; readonly items: readonly Statement[] }
  | { readonly kind: 'image_cases'; readonly caption: string; readonly cases: readonly ImageCase[] }
  | Flow
  | { readonly kind: 'figures'; readonly figures: readonly Figure[] }
  | Table
  | Notice

/** A drawing with its title and description. */
export interface Chart {
  /** Name of its file and prefix of its ids: lower-case letters, digits and hyphens. */
  readonly name: string
  readonly title: string
  readonly description: string
  /** For a page: colors are the page's variables. */
  readonly inline: string
  /** For a separate file: light colors for print. */
  readonly standalone: string
}

/** A chart, with its numbers as a table for accessibility; null if the numbers are elsewhere in the document. */
export interface Figure {
  readonly chart: Chart
  readonly table: Table | null
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

/** Removes the columns that only visualize numbers of other columns, for formats that cannot draw in a cell. */
export function withoutDrawnColumns(drawn: Table): Table {
  const isDrawing = drawn.columns.map((_, index) => drawn.rows.some((row) => hasDrawing(row[index])))
  const keep = <Item>(items: readonly Item[]) => items.filter((_, index) => !isDrawing[index])
  return { ...drawn, columns: keep(drawn.columns), rows: drawn.rows.map(keep) }
}

/** Splits a table for print into parts of at most `most` columns, each starting with the first column. */
export function splitByColumns(wide: Table, most: number): Table[] {
  if (wide.columns.length <= most) return [wide]
  const parts = Math.ceil((wide.columns.length - 1) / (most - 1))
  const each = Math.ceil((wide.columns.length - 1) / parts)
  return Array.from({ length: parts }, (_, part) => {
    const from = 1 + part * each
    const cut = <Item>(items: readonly Item[]) => [...items.slice(0, 1), ...items.slice(from, from + each)]
    return {
      ...wide,
      caption: `${wide.caption} (part ${part + 1} of ${parts})`,
      columns: cut(wide.columns),
      rows: wide.rows.map(cut),
      notes: part === parts - 1 ? (wide.notes ?? []) : [],
    }
  })
}

function hasDrawing(cell: Cell | undefined): boolean {
  return typeof cell === 'object' && 'forest' in cell
}

export function cellText(cell: Cell): string {
  if (typeof cell === 'string') return cell
  return 'below' in cell ? `${cell.text} (${cell.below})` : cell.text
}

/** Paragraphs of a user-written text. */
export function paragraphsOf(text: string): string[] {
  return text
    .split(/\s*\n\s*/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
