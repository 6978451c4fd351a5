import type { ErrorIssue, Phrase } from '@medloom/contracts'
import { useCallback } from 'react'
import { type Remedy as SentWords, useContractText } from '../text/contracts'

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
  return <Words of={useContractText().remedy(code, english, phrases)} />
}

/** Message of an error in the user's language; without phrases, the meaning of its code and the English message. */
export function ErrorText({
  code,
  english,
  phrases,
}: {
  readonly code: string
  readonly english: string
  readonly phrases?: readonly Phrase[] | undefined
}) {
  const { error, message } = useContractText()
  const words = phrases ? message(phrases) : null
  return words ?? <Words of={error(code, english)} />
}

function Words({ of: { words, english } }: { readonly of: SentWords }) {
  return (
    <>
      {words}
      {english && (
        <>
          {words && ' '}
          <span lang="en">{english}</span>
        </>
      )}
    </>
  )
}

export interface Message {
  readonly english: string
  /** Absent in older data and for texts that have none. */
  readonly phrases?: readonly Phrase[] | undefined
}

/** Message of the service in the user's language; in English if it has no phrases. */
export function ServiceText({ english, phrases }: Message) {
  const { message, note } = useContractText()
  return (phrases && message(phrases)) ?? note(english) ?? <span lang="en">{english}</span>
}

/** The messages without repetitions. */
export function distinctMessages(messages: readonly Message[]): Message[] {
  return [...new Map(messages.map((message) => [message.english, message])).values()]
}

/** Message of an issue at a field, with its remedy. */
export function IssueText({ issue }: { readonly issue: ErrorIssue }) {
  return <ServiceText english={issue.message} phrases={issue.message_phrases} />
}

export function IssueRemedy({ issue }: { readonly issue: ErrorIssue }) {
  return <Remedy code={issue.code} english={issue.hint} phrases={issue.hint_phrases} />
}

/** The same as plain text, for places that accept no elements. */
export function useServiceText(): (english: string, phrases?: readonly Phrase[]) => string {
  const { message, note } = useContractText()
  return useCallback(
    (english, phrases) => (phrases && message(phrases)) ?? note(english) ?? english,
    [message, note],
  )
}
