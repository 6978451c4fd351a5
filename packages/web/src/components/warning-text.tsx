import type { Phrase } from '@medloom/contracts'
import { useContractText } from '../text/contracts'
import { ServiceText } from './service-text'

/** Warning of the service: meaning and remedy of its code in the user's language, and the details of this case. */
export function WarningText({
  code,
  message,
  phrases,
}: {
  readonly code: string
  readonly message: string
  readonly phrases: readonly Phrase[] | undefined
}) {
  const words = useContractText().warning(code)
  if (words === null) return message
  return (
    <>
      {words} <ServiceText english={message} phrases={phrases} />
    </>
  )
}
