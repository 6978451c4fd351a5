import type { ErrorIssue, IssueCode } from '../codes/index.js'
import { hintOf, messageOf, type Phrase } from '../phrases/index.js'

/** Values that a check of a schema adds to its issue. */
export type RefusalParams = Partial<
  Pick<ErrorIssue, 'message_phrases' | 'hint' | 'hint_phrases' | 'suggestion'>
> & { readonly code?: IssueCode | undefined }

/** Message and parameters of an issue that a check of a schema adds. */
export function refusal(
  message: Phrase,
  hint?: Phrase,
  more: RefusalParams = {},
): { message: string; params: RefusalParams } {
  const { message: english, message_phrases } = messageOf(message)
  return { message: english, params: { message_phrases, ...(hint ? hintOf(hint) : {}), ...more } }
}
