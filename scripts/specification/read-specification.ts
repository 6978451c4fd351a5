/** A heading of the specification with its content, as tests/specification/sentences declares it. */
export interface ReadSection {
  readonly heading: string
  readonly sentences: readonly string[]
}

/** The text of the specification → its sections: tables row by row without their headers, the rest sentence by sentence. */
export function readSpecification(text: string): ReadSection[] {
  const sections: { heading: string; sentences: string[] }[] = []
  for (const block of blocksOf(text)) {
    const [, heading] = /^#+ (.*)$/.exec(block) ?? []
    if (heading !== undefined) sections.push({ heading, sentences: [] })
    else sections.at(-1)?.sentences.push(...sentencesOf(block))
  }
  return sections
}

/** Headings, table rows, list items and paragraphs, each on one line. */
function blocksOf(text: string): string[] {
  const blocks: string[] = []
  let open = false
  let inTable = false
  for (const line of text.split('\n').map((each) => each.trim())) {
    const isRow = line.startsWith('|')
    const continues = open && line !== '' && !isRow && !/^(#|- |\d+\. )/.test(line)
    if (continues) blocks.push(`${blocks.pop()} ${line}`)
    // The first row of a table is its header, the second the line below it.
    else if (isRow && inTable) blocks.push(line)
    else if (line !== '' && !isRow) blocks.push(line)
    inTable = isRow
    open = line !== '' && !isRow && !line.startsWith('#')
  }
  return blocks.filter((block) => !/^[|\s-]+$/.test(block))
}

function sentencesOf(block: string): string[] {
  if (block.startsWith('|'))
    return [
      block
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim())
        .join(' | ')
        .trim(),
    ]
  const text = block.replace(/^(- |\d+\. )/, '')
  return text.split(/(?<=\.)\s+(?=[A-Z`])/)
}
