import { useContractText } from '../text/contracts'

/** A warning of the service: what its code means and what to do about it in the language of the reader, and what is said of this case. */
export function WarningWords({ code, message }: { readonly code: string; readonly message: string }) {
  const words = useContractText().warning(code)
  if (words === null) return message
  return (
    <>
      {words} <span lang="en">{message}</span>
    </>
  )
}
