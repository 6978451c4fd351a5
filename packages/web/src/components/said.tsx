import { useContractText } from '../text/contracts'

/** What to do about a code: in the language of the reader, and what the service says of this case alone. */
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

/** What the service says of its work or of a value; in English where there are no other words for it. */
export function Said({ children }: { readonly children: string }) {
  const said = useContractText().said(children)
  return said ?? <span lang="en">{children}</span>
}

/** The same where only a text can stand. */
export function useSaid(): (english: string) => string {
  const { said } = useContractText()
  return (english) => said(english) ?? english
}
