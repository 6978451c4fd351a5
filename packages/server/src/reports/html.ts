import type { Block, Cell, Column, Figure, Forest, ReportDocument, Section, Table } from './document.js'
import { escapeMarkup } from './escape.js'
import { STYLE } from './style.js'

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

/** One self-contained page: no script, nothing loaded, every text escaped. */
export function writeHtml(document: ReportDocument): string {
  const { title, kicker, summary, notices, sections, footer } = document
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
<div class="page">
<header class="masthead">
<p class="kicker">${escapeMarkup(kicker)}</p>
<h1>${escapeMarkup(title)}</h1>
<dl class="summary">${summary
    .map(
      ({ term, value, note }) =>
        `<div><dt>${escapeMarkup(term)}</dt><dd>${escapeMarkup(value)}${note ? `<small>${escapeMarkup(note)}</small>` : ''}</dd></div>`,
    )
    .join('')}</dl>
${notices.map(writeBlock).join('\n')}
</header>
<nav class="contents" aria-labelledby="contents-title">
<h2 id="contents-title">Contents</h2>
<ol>${sections.map(({ id, title: name }) => `<li><a href="#${id}">${escapeMarkup(name)}</a></li>`).join('')}</ol>
</nav>
<main id="main">
${sections.map(writeSection).join('\n')}
</main>
<footer><p>${escapeMarkup(footer)}</p></footer>
</div>
</body>
</html>
`
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
      return `<div class="facts"><h3>${escapeMarkup(block.caption)}</h3><dl>${block.items
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

function writeFlow({ caption, steps, branches }: Extract<Block, { kind: 'flow' }>): string {
  const box = ({ label, counts, left_out }: (typeof steps)[number]) =>
    `<li>${left_out ? `<span class="left-out">${escapeMarkup(left_out)}</span>` : ''}<span class="box"><b>${escapeMarkup(label)}</b> <span>${escapeMarkup(counts)}</span></span></li>`
  const parts = [
    steps.length > 0 ? `<ol class="steps">${steps.map(box).join('')}</ol>` : '',
    branches.length > 0 ? `<ul class="branches">${branches.map(box).join('')}</ul>` : '',
  ]
  return `<figure class="flow"><figcaption>${escapeMarkup(caption)}</figcaption>${parts.join('')}</figure>`
}

function writeFigure({ chart, table }: Figure): string {
  return `<figure><figcaption>${escapeMarkup(chart.title)}</figcaption><div class="chart">${chart.inline}</div><details><summary>Numbers of this figure</summary>${writeTable(table)}</details></figure>`
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
  return cell.forest ? writeForest(cell.forest, cell.text) : text
}

/** The estimate as a square on its interval, on a scale whose ends the header names. */
function writeForest({ estimate, low, high, min, max }: Forest, text: string): string {
  const at = (value: number) => 4 + (152 * (Math.min(max, Math.max(min, value)) - min)) / (max - min)
  const ticks = [0, 0.25, 0.5, 0.75, 1]
    .map((share) => `<path d="M${4 + 152 * share} 1V19" class="${share === 0.5 ? 'middle' : 'tick'}"/>`)
    .join('')
  const interval =
    low === null || high === null
      ? ''
      : `<path d="M${at(low).toFixed(1)} 10H${at(high).toFixed(1)}M${at(low).toFixed(1)} 6.5v7M${at(high).toFixed(1)} 6.5v7" class="interval"/>`
  return `<svg class="forest" viewBox="0 0 160 20" width="160" height="20" role="img" aria-label="${escapeMarkup(text)}">${ticks}${interval}<rect x="${(at(estimate) - 3.5).toFixed(1)}" y="6.5" width="7" height="7"/></svg>`
}
