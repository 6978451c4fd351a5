import { type ReactNode, useState } from 'react'
import { Button } from '../../../components/button'
import { reliability as text } from '../../../text/reliability'
import { useText } from '../../../text/use-text'

const FIRST = 20
const MORE = 100

/** The first items of a long list, and a button for more: a table may have ten thousand columns. */
export function useFirst<Item>(items: readonly Item[]): {
  readonly shown: readonly Item[]
  readonly more: ReactNode
} {
  const t = useText(text)
  const [count, setCount] = useState(FIRST)
  const rest = Math.min(MORE, items.length - count)
  return {
    shown: items.slice(0, count),
    more: rest > 0 && (
      <div>
        <Button onPress={() => setCount(count + MORE)}>{t('more', { count: rest })}</Button>
      </div>
    ),
  }
}
