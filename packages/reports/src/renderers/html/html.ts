import { drawForest } from '../../charts/forest.js'
import type {
  Block,
  Cell,
  Column,
  Figure,
  Flow,
  FlowStep,
  ReportDocument,
  Section,
  Table,
} from '../../document/document.js'
import { escapeMarkup } from '../../document/escape.js'
import { themed } from '../../theme/theme.js'
import { STYLE } from './style.js'

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

/** One self-contained page: no script, nothing loaded, every text escaped. */
export function writeHtml(document: ReportDocument): string {
  const { title, kicker, summary, notices, sections, footer, brief = false } = document
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
<h1>${escapeMarkup(title)}</h1>
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
  return `<dl class="summary">${facts
    .map(
      ({ term, value, note }) =>
        `<div><dt>${escapeMarkup(term)}</dt><dd>${escapeMarkup(value)}${note ? `<small>${escapeMarkup(note)}</small>` : ''}</dd></div>`,
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
<h2 id="${id}-title">${escapeMarkup(title)}</h2>
${blocks.map(writeBlock).join('\n')}
</section>`
}

function writeBlock(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return `<p>${escapeMarkup(block.text)}</p>`
    case 'heading':
      return `<h3>${escapeMarkup(block.text)}</h3>`
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${escapeMarkup(item)}</li>`).join('')}</ul>`
    case 'code':
      return `<figure class="code"><figcaption>${escapeMarkup(block.caption)}</figcaption><pre tabindex="0"><code>${escapeMarkup(block.text)}</code></pre></figure>`
    case 'facts':
      return `<div class="facts">${block.caption === '' ? '' : `<h3>${escapeMarkup(block.caption)}</h3>`}<dl>${block.items
        .map(
          ({ term, value, note }) =>
            `<div><dt>${escapeMarkup(term)}</dt><dd>${escapeMarkup(value)}${note ? ` <small>${escapeMarkup(note)}</small>` : ''}</dd></div>`,
        )
        .join('')}</dl></div>`
    case 'notice':
      return `<aside class="notice ${block.tone}"><strong>${escapeMarkup(block.title)}</strong> <span>${escapeMarkup(block.text)}</span></aside>`
    case 'not_provided':
      return `<div class="blanks">${block.items
        .map(
          ({ title, prompt }) =>
            `<div class="blank"><p><strong>${escapeMarkup(title)}</strong> <span class="tag">not provided</span></p><p>${escapeMarkup(prompt)}</p></div>`,
        )
        .join('')}</div>`
    case 'flow':
      return writeFlow(block)
    case 'figures':
      return `<div class="figures">${block.figures.map(writeFigure).join('')}</div>`
    case 'table':
      return writeTable(block)
  }
}

function writeFlow({ caption, steps, lanes }: Flow): string {
  const box = ({ label, counts, left_out }: FlowStep) =>
    `<li>${left_out ? `<span class="left-out">${escapeMarkup(left_out)}</span>` : ''}<span class="box"><b>${escapeMarkup(label)}</b> <span>${escapeMarkup(counts)}</span></span></li>`
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
  return `<figure><figcaption>${escapeMarkup(chart.title)}</figcaption><div class="chart">${chart.inline}</div>${table ? `<details><summary>Numbers of this figure</summary>${writeTable(table)}</details>` : ''}</figure>`
}

function writeTable({ caption, columns, rows, notes }: Table): string {
  const head = columns
    .map(
      ({ label, numeric }) =>
        `<th scope="col"${numeric ? ' class="number"' : ''}>${escapeMarkup(label)}</th>`,
    )
    .join('')
  const body = rows.map(
    (row) => `<tr>${row.map((cell, index) => writeCell(cell, columns[index], index)).join('')}</tr>`,
  )
  const remarks = (notes ?? []).map((note) => `<p class="remark">${escapeMarkup(note)}</p>`).join('')
  return `<div class="table"><div class="scroll" tabindex="0" role="region" aria-label="${escapeMarkup(caption)}"><table><caption>${escapeMarkup(caption)}</caption><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>${remarks}</div>`
}

function writeCell(cell: Cell, column: Column | undefined, index: number): string {
  const tag = index === 0 ? 'th scope="row"' : 'td'
  const close = index === 0 ? 'th' : 'td'
  const content = typeof cell === 'string' ? escapeMarkup(cell) : writeRichCell(cell)
  return `<${tag}${column?.numeric ? ' class="number"' : ''}>${content}</${close}>`
}

function writeRichCell(cell: Exclude<Cell, string>): string {
  const text = escapeMarkup(cell.text)
  if ('code' in cell) return `<code>${text}</code>`
  if ('below' in cell) return `${text}<small>${escapeMarkup(cell.below)}</small>`
  if ('href' in cell) return `<a href="${escapeMarkup(cell.href)}">${text}</a>`
  if ('share' in cell)
    return `<span class="bar"><i style="width:${(100 * Math.min(1, Math.max(0, cell.share))).toFixed(1)}%"></i></span>${text}`
  return cell.forest ? themed(drawForest(cell.forest, cell.text)) : text
}
