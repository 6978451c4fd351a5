import type { Phrase } from '@medloom/contracts'
import { useContractText } from '../text/contracts'

/** Remedy of a code in the user's language, and the details that the service adds for this case. */
export function Remedy({
  code,
  english,
  suggestion,
}: {
  readonly code: string
  readonly english: string | undefined
  readonly suggestion?: string | undefined
}) {
  const remedy = useContractText().remedy(code, english, suggestion)
  return (
    <>
      {remedy.words}
      {remedy.english && (
        <>
          {remedy.words && ' '}
          <span lang="en">{remedy.english}</span>
        </>
      )}
    </>
  )
}

interface Message {
  readonly english: string
  /** Absent in older data and for texts that have none. */
  readonly phrases: readonly Phrase[] | undefined
}

/** Message of the service in the user's language; in English if it has no phrases. */
export function ServiceText({ english, phrases }: Message) {
  const { message } = useContractText()
  return (phrases && message(phrases)) ?? <span lang="en">{english}</span>
}

/** The same as plain text, for places that accept no elements. */
export function useServiceText(): (english: string, phrases: readonly Phrase[] | undefined) => string {
  const { message } = useContractText()
  return (english, phrases) => (phrases && message(phrases)) ?? english
}
