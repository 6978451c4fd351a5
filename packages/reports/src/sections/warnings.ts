import { type EvaluationResult, type Prepared, WARNINGS } from '@medloom/contracts'
import { type Notice, paragraph, type Section } from '../document/document.js'
import type { WorkflowReportInput } from '../report-input.js'

type Warning = Prepared['warnings'][number]

/** All warnings: of the preparation, of the evaluation, and of workflow nodes if they add information. */
export function warningSection(
  prepared: Prepared | null,
  result: EvaluationResult | null,
  ofNodes: WorkflowReportInput['nodeWarnings'] = [],
): Section | null {
  const own = [...(prepared?.warnings ?? []), ...(result?.warnings ?? [])]
  const different = noticesOf(own, ofNodes, 'node')
  if (!prepared && different.length === 0) return null
  const none = paragraph(
    'The checks found no leaks, columns that reveal the label, constant columns or unreadable images.',
  )
  return { id: 'warnings', title: 'Warnings', blocks: different.length === 0 ? [none] : different }
}

/** Each warning once; those of a source (a node, a model) only if they add information to `own`. */
export function noticesOf(
  own: readonly Warning[],
  ofPlaces: readonly (Readonly<Warning> & { readonly node: string })[],
  kind: 'node' | 'model',
): Notice[] {
  const messages = new Set(own.map(({ message }) => message))
  const all = [
    ...own.map((warning) => notice(warning)),
    ...ofPlaces
      .filter(({ message }) => !messages.has(message))
      .map((warning) => notice(warning, `, ${kind} "${warning.node}"`)),
  ]
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()]
}

/** Meaning of the code, the finding, and the remedy. */
function notice({ code, message }: Warning, origin = ''): Notice {
  const tone = code.includes('LEAK') ? 'danger' : 'warning'
  // Stored data of a newer version may contain codes that this version does not know.
  if (!Object.hasOwn(WARNINGS, code))
    return { kind: 'notice', tone, title: `${code}${origin}`, text: message }
  const { meaning, remedy } = WARNINGS[code]
  return {
    kind: 'notice',
    tone,
    title: meaning,
    text: `${sentence(message)} ${remedy} (${code}${origin})`,
  }
}

/** Adds a full stop, and a capital letter if the first word is not the name of a file, a key or a column. */
export function sentence(text: string): string {
  const begun = /^[a-z]+[ ,]/.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text
  return /[.!?]\s*$/.test(begun) ? begun : `${begun}.`
}
