import { type Block, paragraphsOf, type Statement } from '../../document/document.js'
import { escapeMarkdown } from '../../document/escape.js'
import { facts, writeBlock } from '../../renderers/markdown/markdown.js'

/** A heading of a form with the content below it. */
export interface Heading {
  readonly level: 1 | 2 | 3 | 4
  readonly title: string
  readonly blocks: readonly Block[]
}

export function heading(level: Heading['level'], title: string, ...blocks: readonly Block[]): Heading {
  return { level, title, blocks }
}

/** Markdown of a form. Every text is escaped; headings inside a part are bold, so that only the form has headings. */
export function writeHeadings(headings: readonly Heading[]): string {
  const parts = headings.flatMap(({ level, title, blocks }) => [
    `${'#'.repeat(level)} ${escapeMarkdown(title)}`,
    ...blocks.map(write),
  ])
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function write(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `**${escapeMarkdown(block.text)}**`
    case 'facts':
      return `**${escapeMarkdown(block.caption)}**\n\n${facts(block.items)}`
    case 'statements':
      return block.items.map(writeStatement).join('\n\n')
    default:
      return writeBlock(block, '')
  }
}

/** A text of the authors; a missing one is visibly blank. */
function writeStatement({ title, prompt, text }: Statement): string {
  const name = `**${escapeMarkdown(title)}:**`
  if (text === null) return `${name} *To be written by the authors: ${escapeMarkdown(prompt)}*`
  return [name, ...paragraphsOf(text).map(escapeMarkdown)].join('\n\n')
}
