import type { ReportDocument, Section, Table } from './document.js'

/**
 * The document for PDF and Word, which cannot expand the numbers of a figure: they form a section at the end. A brief report contains only
 * the charts.
 */
export function forPrint(document: ReportDocument): ReportDocument {
  const blocks = document.sections.flatMap(figureTables)
  if (document.brief || blocks.length === 0) return document
  const numbers = { id: 'figure-numbers', title: 'Values of the figures', blocks }
  return { ...document, sections: [...document.sections, numbers] }
}

function figureTables({ title, blocks }: Section): Table[] {
  return blocks.flatMap((block) =>
    block.kind === 'figures'
      ? block.figures.flatMap(({ table }) =>
          table ? [{ ...table, caption: `${title}: ${table.caption}` }] : [],
        )
      : [],
  )
}
