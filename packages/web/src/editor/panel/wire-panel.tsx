import { TextButton } from '../../components/text-button'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import type { Connection } from '../core/document'
import { useEditor } from '../state/context'
import styles from './panels.module.css'
import { WireValue } from './port-list'

/** One connection: its ends, its conversion, and the transferred value. */
export function WirePanel({ wire }: { readonly wire: Connection }) {
  const t = useText(text)
  const { goTo } = useEditor()
  const ends = [
    ['port.from', wire.source, wire.source_port],
    ['port.to', wire.target, wire.target_port],
  ] as const
  return (
    <div className={styles.stack}>
      {ends.map(([words, node, port]) => (
        <TextButton key={words} onPress={() => goTo(node)}>
          {t(words, { other: `${node}.${port}` })}
        </TextButton>
      ))}
      <WireValue wire={wire} />
    </div>
  )
}
