import { type ReactNode, useState } from 'react'
import { Button } from '../../../components/button'
import { reliability as text } from '../../../text/reliability'
import { useText } from '../../../text/use-text'

const FIRST = 20
const MORE = 100

/** The first items of a long list, and a button for more: a table may have ten thousand columns. */
export function useShowMore<Item>(items: readonly Item[]): {
  readonly shown: readonly Item[]
  readonly more: ReactNode
} {
  const t = useText(text)
  const [count, setCount] = useState(FIRST)
  const remaining = Math.min(MORE, items.length - count)
  return {
    shown: items.slice(0, count),
    more: remaining > 0 && (
      <div>
        <Button onPress={() => setCount(count + MORE)}>{t('more', { count: remaining })}</Button>
      </div>
    ),
  }
}
