import { useContractText } from '../text/contracts'

/** Remedy of a code in the user's language, and the details that the service adds for this case. */
export function Remedy({ code, english }: { readonly code: string; readonly english: string | undefined }) {
  const remedy = useContractText().remedy(code, english)
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

/** Message of the service in the user's language; in English if there is no translation. */
export function Said({ children }: { readonly children: string }) {
  const said = useContractText().said(children)
  return said ?? <span lang="en">{children}</span>
}

/** The same as plain text, for places that accept no elements. */
export function useSaid(): (english: string) => string {
  const { said } = useContractText()
  return (english) => said(english) ?? english
}
