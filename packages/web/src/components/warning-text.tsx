import { useContractText } from '../text/contracts'

/** Warning of the service: meaning and remedy of its code in the user's language, and the details of this case. */
export function WarningText({ code, message }: { readonly code: string; readonly message: string }) {
  const words = useContractText().warning(code)
  if (words === null) return message
  return (
    <>
      {words} <span lang="en">{message}</span>
    </>
  )
}
