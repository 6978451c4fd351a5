import { z } from 'zod'
import { openCode } from '../codes/open-code.js'
import type { PhraseCode } from './catalog.js'
import type { GivenPhrase } from './format.js'

/** One phrase of a message: its code, and the values that each language formats. */
export interface Phrase extends GivenPhrase {
  readonly code: PhraseCode
}

export const Phrase: z.ZodType<Phrase, Phrase> = z
  .object({
    code: openCode<PhraseCode>('A code of docs/reference/phrases.md'),
    values: z
      .record(z.string(), z.union([z.string(), z.number(), z.lazy(() => z.array(Phrase))]))
      .optional()
      .meta({ description: 'A value is a text or number, which no language changes, or a list of phrases' }),
    mark: z
      .enum(['comma', 'semicolon', 'colon', 'space'])
      .optional()
      .meta({ description: 'Punctuation between it and the phrase before it; absent: a comma' }),
  })
  .meta({ id: 'Phrase' })

/** The phrases of a message, in addition to its English text. */
export const phrasesOf = (field: string) =>
  z
    .array(Phrase)
    .optional()
    .meta({ description: `The phrases of ${field}, for other languages; absent: there are none` })
