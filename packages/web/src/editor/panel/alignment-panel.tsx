import { Button } from '../../components/button'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import type { Command } from '../commands'
import { ALIGNMENTS } from '../core/align'
import { ModeAndColor } from './mode-and-color'
import styles from './panels.module.css'

const COMMANDS = [
  'do.group',
  'do.layout',
  ...ALIGNMENTS.map((to) => `do.align.${to}` as const),
  'do.distribute.x',
  'do.distribute.y',
] as const

/** Alignment of several selected nodes. */
export function AlignmentPanel({ commands }: { readonly commands: readonly Command[] }) {
  const t = useText(text)
  return (
    <section className={styles.stack} aria-label={t('nodes.places')}>
      <h3>{t('nodes.places')}</h3>
      <div className={styles.actions}>
        {COMMANDS.map((id) => {
          const found = commands.find((one) => one.id === id)
          return (
            <Button key={id} kind="quiet" isDisabled={!found?.enabled} onPress={() => found?.run()}>
              {t(id)}
            </Button>
          )
        })}
      </div>
      <ModeAndColor />
    </section>
  )
}
