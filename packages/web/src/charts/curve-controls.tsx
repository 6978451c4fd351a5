import type { ReactNode } from 'react'
import { Button } from '../components/button'
import { Checkbox } from '../components/field'
import { Slider } from '../components/slider'
import { run } from '../text/run'
import { useText } from '../text/use-text'
import styles from './curve-controls.module.css'
import type { CurveSettings } from './curve-settings'

/** Settings that apply to all charts of a page. */
export function CurveControls({
  settings: { from, log, smooth = 0 },
  onChange,
  asTable,
  onTable,
  children,
}: {
  readonly settings: CurveSettings
  readonly onChange: (changes: CurveSettings) => void
  readonly asTable: boolean
  readonly onTable: (asTable: boolean) => void
  readonly children?: ReactNode
}) {
  const t = useText(run)
  return (
    <div className={styles.controls}>
      <Slider
        label={t('curves.smoothing')}
        value={smooth}
        max={0.95}
        step={0.05}
        onChange={(value) => onChange({ smooth: value === 0 ? undefined : value })}
      />
      <Checkbox isSelected={log === true} onChange={(on) => onChange({ log: on ? true : undefined })}>
        {t('curves.log')}
      </Checkbox>
      <Button kind="quiet" onPress={() => onTable(!asTable)}>
        {t(asTable ? 'curves.chart' : 'curves.table')}
      </Button>
      {from !== undefined && (
        <Button kind="quiet" icon="close" onPress={() => onChange({ from: undefined, to: undefined })}>
          {t('curves.whole')}
        </Button>
      )}
      {children}
    </div>
  )
}
