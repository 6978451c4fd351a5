import {
  type Block,
  cellText,
  type Flow,
  type FlowStep,
  type ReportDocument,
  type Table,
  withoutDrawnColumns,
} from '../../document/document.js'
import { escapeMarkdown, printable } from '../../document/escape.js'

/** The report as Markdown. `artifacts` is the path from the report to the folder of the drawings, ending with a slash. */
export function writeMarkdown(
  { title, kicker, byline, summary, notices, sections, footer }: ReportDocument,
  artifacts: string,
): string {
  const write = (block: Block) => writeBlock(block, artifacts)
  const parts = [
    `# ${escapeMarkdown(title)}`,
    `*${escapeMarkdown(kicker)}*`,
    byline ? escapeMarkdown(byline) : '',
    facts(summary),
    ...notices.map(write),
    ...sections.flatMap(({ title: name, blocks }) => [`## ${escapeMarkdown(name)}`, ...blocks.map(write)]),
    '---',
    escapeMarkdown(footer),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/** One block; headings in it are of level 3. */
export function writeBlock(block: Block, artifacts: string): string {
  switch (block.kind) {
    case 'paragraph':
      return escapeMarkdown(block.text)
    case 'heading':
      return `### ${escapeMarkdown(block.text)}`
    case 'list':
      return block.items.map((item) => `- ${escapeMarkdown(item)}`).join('\n')
    case 'code':
      return `${escapeMarkdown(block.caption)}:\n\n${printable(block.text)
        .split('\n')
        .map((line) => `    ${line}`)
        .join('\n')}`
    case 'facts':
      return `### ${escapeMarkdown(block.caption)}\n\n${facts(block.items)}`
    case 'notice':
      return `> **${escapeMarkdown(block.title)}** ${escapeMarkdown(block.text)}`
    case 'statements':
      return block.items
        .map(({ title, prompt, text }) => {
          const words = text === null ? `*not provided.* ${escapeMarkdown(prompt)}` : escapeMarkdown(text)
          return `- **${escapeMarkdown(title)}**: ${words}`
        })
        .join('\n')
    case 'image_cases':
      return 'report.html contains the images of these cases.'
    case 'flow':
      return writeFlow(block)
    case 'figures':
      return block.figures
        .map(
          ({ chart, table }) =>
            `![${escapeMarkdown(chart.title)}](${artifacts}${chart.name}.svg)\n\n${escapeMarkdown(chart.description)}${table ? `\n\n${writeTable(table)}` : ''}`,
        )
        .join('\n\n')
    case 'table':
      return writeTable(block)
  }
}

/** Steps are numbered, lanes are bullets: `- train: 780 cases, then …`. */
function writeFlow({ caption, steps, lanes }: Flow): string {
  const words = ({ label, counts, left_out }: FlowStep) =>
    `${escapeMarkdown(label)}: ${escapeMarkdown(counts)}${left_out ? ` (${escapeMarkdown(left_out)})` : ''}`
  return [
    `**${escapeMarkdown(caption)}**`,
    ...steps.map((step, index) => `${index + 1}. ${words(step)}`),
    ...lanes.map((lane) => `- ${lane.map(words).join('; then ')}`),
  ].join('\n\n')
}

function writeTable(full: Table): string {
  const { caption, columns, rows, notes } = withoutDrawnColumns(full)
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |`
  return [
    `**${escapeMarkdown(caption)}**\n`,
    line(columns.map(({ label }) => label)),
    `| ${columns.map(({ numeric }) => (numeric ? '--:' : ':--')).join(' | ')} |`,
    ...rows.map((row) => line(row.map(cellText))),
    ...(notes ?? []).map((note) => `\n${escapeMarkdown(note)}`),
  ].join('\n')
}

/** Table of terms and values; empty without items. */
export function facts(items: readonly { term: string; value: string; note?: string }[]): string {
  if (items.length === 0) return ''
  return [
    '| Item | Value |',
    '| :-- | :-- |',
    ...items.map(
      ({ term, value, note }) =>
        `| ${escapeMarkdown(term)} | ${escapeMarkdown(note ? `${value} (${note})` : value)} |`,
    ),
  ].join('\n')
}
