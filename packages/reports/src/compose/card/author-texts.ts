import type { ReportTextKey, ReportTexts } from '@medloom/contracts'
import type { Block } from '../../document/document.js'
import { statement } from '../../sections/purpose.js'

/** Texts of the authors that the run has a place for. */
export function written(
  { texts }: { readonly texts: ReportTexts },
  ...keys: readonly ReportTextKey[]
): Block {
  return { kind: 'statements', items: keys.map((key) => statement(texts, key)) }
}

/** A field that only the authors can fill in, in the finished card. */
export function blank(title: string, prompt: string): Block {
  return { kind: 'statements', items: [{ title, prompt, text: null }] }
}
