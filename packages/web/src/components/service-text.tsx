import type { ErrorIssue, Phrase } from '@medloom/contracts'
import { useCallback } from 'react'
import { useContractText } from '../text/contracts'

/** Remedy of a code in the user's language, and the details that the service adds for this case. */
export function Remedy({
  code,
  english,
  phrases,
}: {
  readonly code: string
  readonly english: string | undefined
  readonly phrases?: readonly Phrase[] | undefined
}) {
  const remedy = useContractText().remedy(code, english, phrases)
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

/** Message of an issue at a field, with its remedy. */
export function IssueText({ issue }: { readonly issue: ErrorIssue }) {
  return <ServiceText english={issue.message} phrases={issue.message_phrases} />
}

export function IssueRemedy({ issue }: { readonly issue: ErrorIssue }) {
  return <Remedy code={issue.code} english={issue.hint} phrases={issue.hint_phrases} />
}

/** The same as plain text, for places that accept no elements. */
export function useServiceText(): (english: string, phrases: readonly Phrase[] | undefined) => string {
  const { message } = useContractText()
  return useCallback((english, phrases) => (phrases && message(phrases)) ?? english, [message])
}
