import { drawForest } from '../../charts/forest.js'
import {
  type Block,
  type Cell,
  type Column,
  type Figure,
  type Flow,
  type FlowStep,
  type ImageCase,
  paragraphsOf,
  type ReportDocument,
  type Section,
  type Statement,
  type Table,
} from '../../document/document.js'
import { escapeMarkup, printable } from '../../document/escape.js'
import { pngSize } from '../../document/image.js'
import { type Piece, wordsInPieces } from '../../document/long-words.js'
import { summaryRows } from '../../document/summary-rows.js'
import { themed } from '../../theme/theme.js'
import { STYLE } from './style.js'

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

/** One self-contained page: no script, no external resources, all text escaped. */
export function writeHtml(document: ReportDocument): string {
  const { title, kicker, byline, summary, notices, sections, footer, brief = false } = document
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${escapeMarkup(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<div class="page${brief ? ' brief' : ''}">
<header class="masthead">
<p class="kicker">${escapeMarkup(kicker)}</p>
<h1>${words(title)}</h1>
${byline ? `<p class="byline">${words(byline)}</p>` : ''}
${writeSummary(summary)}
${notices.map(writeBlock).join('\n')}
</header>
${brief ? '' : writeContents(sections)}
<main id="main">
${sections.map(writeSection).join('\n')}
</main>
<footer><p>${escapeMarkup(footer)}</p></footer>
</div>
</body>
</html>
`
}

function writeSummary(facts: ReportDocument['summary']): string {
  if (facts.length === 0) return ''
  return `<dl class="summary">${summaryRows(facts)
    .flatMap((row) =>
      row.map(
        ({ term, value, note }) =>
          `<div class="of-${row.length}"><dt>${words(term)}</dt><dd>${words(value)}${note ? `<small>${words(note)}</small>` : ''}</dd></div>`,
      ),
    )
    .join('')}</dl>`
}

function writeContents(sections: readonly Section[]): string {
  return `<nav class="contents" aria-labelledby="contents-title">
<h2 id="contents-title">Contents</h2>
<ol>${sections.map(({ id, title }) => `<li><a href="#${id}">${escapeMarkup(title)}</a></li>`).join('')}</ol>
</nav>`
}

function writeSection({ id, title, blocks }: Section): string {
  return `<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${words(title)}</h2>
${blocks.map(writeBlock).join('\n')}
</section>`
}

function writeBlock(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return `<p>${words(block.text)}</p>`
    case 'heading':
      return `<h3>${words(block.text)}</h3>`
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${words(item)}</li>`).join('')}</ul>`
    case 'code':
      return `<figure class="code"><figcaption>${escapeMarkup(block.caption)}</figcaption><pre tabindex="0"><code>${escapeMarkup(block.text)}</code></pre></figure>`
    case 'facts':
      return `<div class="facts">${block.caption === '' ? '' : `<h3>${escapeMarkup(block.caption)}</h3>`}<dl>${block.items
        .map(
          ({ term, value, note }) =>
            `<div><dt>${words(term)}</dt><dd>${words(value)}${note ? ` <small>${words(note)}</small>` : ''}</dd></div>`,
        )
        .join('')}</dl></div>`
    case 'notice':
      return `<aside class="notice ${block.tone}"><strong>${words(block.title)}</strong> <span>${words(block.text)}</span></aside>`
    case 'statements':
      return `<div class="statements">${block.items.map(writeStatement).join('')}</div>`
    case 'image_cases':
      return `<h3>${escapeMarkup(block.caption)}</h3><div class="image-cases">${block.cases.map(writeImageCase).join('')}</div>`
    case 'flow':
      return writeFlow(block)
    case 'figures':
      return `<div class="figures">${block.figures.map(writeFigure).join('')}</div>`
    case 'table':
      return writeTable(block)
  }
}

function writeStatement({ title, prompt, text }: Statement): string {
  const heading = `<strong>${escapeMarkup(title)}</strong>`
  if (text === null)
    return `<div class="statement blank"><p>${heading} <span class="tag">not provided</span></p><p>${escapeMarkup(prompt)}</p></div>`
  const written = paragraphsOf(text).map((one) => `<p>${words(one)}</p>`)
  return `<div class="statement"><p>${heading}</p>${written.join('')}</div>`
}

function writeImageCase({ title, lines, images }: ImageCase): string {
  const drawn = images.map(({ png, description }) => {
    const { width, height } = pngSize(png)
    return `<img src="data:image/png;base64,${png}" width="${width}" height="${height}" alt="${escapeMarkup(description)}">`
  })
  return `<figure><div class="views">${drawn.join('')}</div><figcaption>${escapeMarkup(title)}${lines.map((line) => `<small>${words(line)}</small>`).join('')}</figcaption></figure>`
}

function writeFlow({ caption, steps, lanes }: Flow): string {
  const box = ({ label, counts, left_out }: FlowStep) =>
    `<li>${left_out ? `<span class="left-out">${escapeMarkup(left_out)}</span>` : ''}<span class="box"><b>${words(label)}</b> <span>${words(counts)}</span></span></li>`
  const chain = (chained: readonly FlowStep[]) => `<ol class="steps">${chained.map(box).join('')}</ol>`
  const parts = [
    steps.length > 0 ? chain(steps) : '',
    lanes.length > 0
      ? `<ul class="lanes">${lanes.map((lane) => `<li>${chain(lane)}</li>`).join('')}</ul>`
      : '',
  ]
  return `<figure class="flow"><figcaption>${escapeMarkup(caption)}</figcaption>${parts.join('')}</figure>`
}

function writeFigure({ chart, table }: Figure): string {
  return `<figure><figcaption>${escapeMarkup(chart.title)}</figcaption><div class="chart">${chart.inline}</div>${table ? `<details><summary>Values of this figure</summary>${writeTable(table)}</details>` : ''}</figure>`
}

function writeTable({ caption, columns, rows, notes }: Table): string {
  const head = columns
    .map(({ label, numeric }) => `<th scope="col"${numeric ? ' class="number"' : ''}>${words(label)}</th>`)
    .join('')
  const widths = columns.map((_, index) => shareWidth(rows.map((row) => row[index])))
  const body = rows.map(
    (row) =>
      `<tr>${row.map((cell, index) => writeCell(cell, columns[index], index, widths[index] ?? 0)).join('')}</tr>`,
  )
  const remarks = (notes ?? []).map((note) => `<p class="remark">${words(note)}</p>`).join('')
  return `<div class="table"><div class="scroll" tabindex="0" role="region" aria-label="${escapeMarkup(caption)}"><table><caption>${words(caption)}</caption><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>${remarks}</div>`
}

/** Length of the longest text next to a bar, so that all bars of a column start at the same position. */
function shareWidth(cells: readonly (Cell | undefined)[]): number {
  return Math.max(0, ...cells.map((cell) => (isShare(cell) ? cell.text.length : 0)))
}

function isShare(cell: Cell | undefined): cell is Extract<Cell, { share: number }> {
  return typeof cell === 'object' && 'share' in cell
}

function writeCell(cell: Cell, column: Column | undefined, index: number, width: number): string {
  const tag = index === 0 ? 'th scope="row"' : 'td'
  const close = index === 0 ? 'th' : 'td'
  const content = typeof cell === 'string' ? words(cell) : writeRichCell(cell, width)
  return `<${tag}${column?.numeric ? ' class="number"' : ''}>${content}</${close}>`
}

function writeRichCell(cell: Exclude<Cell, string>, width: number): string {
  const text = words(cell.text)
  if ('code' in cell) return `<code>${text}</code>`
  if ('below' in cell) return `${text}<small>${words(cell.below)}</small>`
  if ('href' in cell) return `<a href="${escapeMarkup(cell.href)}">${text}</a>`
  if ('share' in cell)
    return `<span class="bar"><i style="width:${(100 * Math.min(1, Math.max(0, cell.share))).toFixed(1)}%"></i></span><span class="beside" style="min-width:${width + 1}ch">${text}</span>`
  return cell.forest ? themed(drawForest(cell.forest, cell.text)) : text
}

/** Escaped text in which long names and paths may break, and other words do not. */
function words(text: string): string {
  const write = ({ text: piece, anywhere }: Piece) =>
    anywhere ? `<span class="long">${escapeMarkup(piece)}</span>` : escapeMarkup(piece)
  return wordsInPieces(printable(text))
    .map((word) => word.map(write).join('<wbr>'))
    .join('')
}
