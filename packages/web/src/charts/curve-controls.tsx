import type { ReactNode } from 'react'
import { Button } from '../components/button'
import { Checkbox } from '../components/field'
import { Slider } from '../components/slider'
import { run } from '../text/run'
import { useText } from '../text/use-text'
import styles from './curve-controls.module.css'
import type { CurveLook } from './curve-look'

/** Settings that apply to all charts of a page. */
export function CurveControls({
  look: { from, log, smooth = 0 },
  onLook,
  asTable,
  onTable,
  children,
}: {
  readonly look: CurveLook
  readonly onLook: (changes: CurveLook) => void
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
        onChange={(value) => onLook({ smooth: value === 0 ? undefined : value })}
      />
      <Checkbox isSelected={log === true} onChange={(on) => onLook({ log: on ? true : undefined })}>
        {t('curves.log')}
      </Checkbox>
      <Button kind="quiet" onPress={() => onTable(!asTable)}>
        {t(asTable ? 'curves.chart' : 'curves.table')}
      </Button>
      {from !== undefined && (
        <Button kind="quiet" icon="close" onPress={() => onLook({ from: undefined, to: undefined })}>
          {t('curves.whole')}
        </Button>
      )}
      {children}
    </div>
  )
}
