import { useState } from 'react'
import { Button } from '../../components/button'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import styles from '../panel/panels.module.css'

export interface Paging {
  /** Token of the current page; undefined: the first. */
  readonly token: string | undefined
  readonly back: (() => void) | undefined
  readonly forward: (token: string) => void
}

/** Forward and backward paging. */
export function usePaging(): Paging {
  const [tokens, setPassed] = useState<readonly string[]>([])
  return {
    token: tokens.at(-1),
    back: tokens.length === 0 ? undefined : () => setPassed(tokens.slice(0, -1)),
    forward: (token) => setPassed([...tokens, token]),
  }
}

/** Renders nothing if there is only one page. */
export function Pager({ paging, next }: { readonly paging: Paging; readonly next: string | null }) {
  const t = useText(text)
  const { back, forward } = paging
  if (!back && next === null) return null
  return (
    <div className={styles.line}>
      <Button icon="left" isDisabled={!back} onPress={() => back?.()}>
        {t('value.back')}
      </Button>
      <Button icon="right" isDisabled={next === null} onPress={() => next !== null && forward(next)}>
        {t('value.next')}
      </Button>
    </div>
  )
}
