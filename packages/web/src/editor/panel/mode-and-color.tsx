import { MARK_COLORS, NODE_MODES } from '@medloom/contracts/plain'
import { Select } from '../../components/select'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { colorNodes, type MarkColor, setMode } from '../core/annotations'
import { useEditor, useEditState } from '../state/context'
import styles from './panels.module.css'

/** Mode and color of the selected nodes. */
export function ModeAndColor() {
  const t = useText(text)
  const { session } = useEditor()
  const { nodes, history } = useEditState()
  const { document } = history
  const chosen = document.nodes.filter(({ id }) => nodes.has(id))
  const modes = ['active', ...NODE_MODES] as const
  const shared = <T,>(values: readonly T[]) => (new Set(values).size === 1 ? values[0] : undefined)
  return (
    <div className={styles.row}>
      <Select
        label={t('mode')}
        choices={modes.map((mode) => ({ value: mode, label: t(`mode.${mode}`) }))}
        value={shared(chosen.map(({ mode }) => mode ?? 'active')) ?? 'active'}
        onChange={(mode) => session.perform(setMode(document, nodes, mode === 'active' ? undefined : mode))}
      />
      <ColorSelect
        value={shared(chosen.map(({ color }) => color))}
        onChange={(color) => session.perform(colorNodes(document, nodes, color))}
      />
    </div>
  )
}

export function ColorSelect({
  value,
  onChange,
}: {
  readonly value: MarkColor | undefined
  readonly onChange: (color: MarkColor | undefined) => void
}) {
  const t = useText(text)
  const colors = ['none', ...MARK_COLORS] as const
  return (
    <Select
      label={t('color')}
      choices={colors.map((color) => ({ value: color, label: t(`color.${color}`) }))}
      value={value ?? 'none'}
      onChange={(color) => onChange(color === 'none' ? undefined : color)}
    />
  )
}
