import type { ImageInfo } from '@medloom/contracts'
import { FactList } from '../components/fact-list'
import { Select } from '../components/select'
import { Slider } from '../components/slider'
import { images as text } from '../text/images'
import { useText } from '../text/use-text'
import { sliceOf } from './use-image'
import { AXES, type ImageViewSettings } from './view-settings'
import styles from './viewer-controls.module.css'
import { CT_WINDOWS, rangeOf, type Window, windowOf } from './windows'

interface Controls {
  readonly info: ImageInfo
  readonly settings: ImageViewSettings
  readonly onChange: (changes: ImageViewSettings) => void
}

/** Controls for view, plane, slice and window, with information about the file. */
export function ViewerControls(controls: Controls) {
  const t = useText(text)
  const { settings, onChange } = controls
  return (
    <div className={styles.controls}>
      <Select
        label={t('as')}
        choices={[
          { value: 'image', label: t('as.image') },
          { value: 'model', label: t('as.model') },
        ]}
        value={settings.as ?? 'image'}
        onChange={(as) => onChange({ as: as === 'model' ? as : undefined, view: undefined })}
      />
      {settings.as === 'model' ? <ModelViews {...controls} /> : <Slices {...controls} />}
      <WindowControls {...controls} />
      <Facts {...controls} />
    </div>
  )
}

function ModelViews({ info, settings, onChange }: Controls) {
  const t = useText(text)
  return (
    <>
      <p className={styles.hint}>{t('as.hint')}</p>
      {info.views > 1 && (
        <Slider
          label={t('view')}
          value={settings.view ?? 1}
          min={1}
          max={info.views}
          step={1}
          onChange={(view) => onChange({ view })}
        />
      )}
    </>
  )
}

function Slices({ info, settings, onChange }: Controls) {
  const t = useText(text)
  const axis = settings.axis ?? 'axial'
  const known = AXES.filter((one) => info.slices[one] > 1)
  if (known.length === 0) return null
  const count = info.slices[axis]
  const slice = sliceOf(settings, info)
  const across = info.slices.coronal > 0
  return (
    <>
      {known.length > 1 && (
        <Select
          label={t('axis')}
          choices={known.map((value) => ({
            value,
            label: t(value === 'axial' && !across ? 'axis.acquired' : `axis.${value}`),
          }))}
          value={axis}
          onChange={(value) => onChange({ axis: value === 'axial' ? undefined : value, slice: undefined })}
        />
      )}
      {count > 1 && (
        <div>
          <Slider
            label={t('slice')}
            value={slice + 1}
            min={1}
            max={count}
            step={1}
            onChange={(next) => onChange({ slice: next - 1 })}
          />
          <span className={styles.hint}>{t('slice.of', { slice: slice + 1, count })}</span>
        </div>
      )}
    </>
  )
}

const DEFAULT = 'usual'
const CUSTOM = 'own'

/** Only for files whose values have a meaning: photos have no window. */
function WindowControls({ info, settings, onChange }: Controls) {
  const t = useText(text)
  const window = windowOf(settings, info)
  if (!window) return null
  const presets: Record<string, Window> = {
    ...Object.fromEntries(info.windows.map((window, index) => [`file${index + 1}`, window])),
    ...(info.modality === 'CT' ? CT_WINDOWS : {}),
  }
  const labels = {
    ...Object.fromEntries(
      info.windows.map((_, index) => [`file${index + 1}`, t('window.file', { number: index + 1 })]),
    ),
    soft: t('window.soft'),
    lung: t('window.lung'),
    bone: t('window.bone'),
    brain: t('window.brain'),
  } as Record<string, string>
  const isCustom = settings.center !== undefined
  const chosen = isCustom
    ? (Object.keys(presets).find(
        (key) => presets[key]?.center === settings.center && presets[key]?.width === settings.width,
      ) ?? CUSTOM)
    : DEFAULT
  const range = rangeOf(info)
  const step = range > 50 ? 1 : range / 200
  const [low, high] = [(info.shown?.low ?? 0) - range / 2, (info.shown?.high ?? 0) + range / 2].map(
    (end) => Math.round(end / step) * step,
  ) as [number, number]
  return (
    <>
      <Select
        label={t('window')}
        choices={[
          { value: DEFAULT, label: t('window.usual') },
          ...Object.keys(presets).map((value) => ({ value, label: labels[value] ?? value })),
          ...(chosen === CUSTOM ? [{ value: CUSTOM, label: t('window.own') }] : []),
        ]}
        value={chosen}
        onChange={(key) =>
          onChange(key === CUSTOM ? {} : (presets[key] ?? { center: undefined, width: undefined }))
        }
      />
      <Slider
        label={t('center')}
        value={clamp(Math.round(window.center / step) * step, low, high)}
        min={low}
        max={high}
        step={step}
        onChange={(center) => onChange({ center, width: window.width })}
      />
      <Slider
        label={t('width')}
        value={clamp(Math.round(window.width / step) * step, step, 2 * range)}
        min={step}
        max={2 * range}
        step={step}
        onChange={(width) => onChange({ center: window.center, width })}
      />
    </>
  )
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high)
}

function Facts({ info }: Controls) {
  const t = useText(text)
  const { kind, width, height, depth, modality, spacing } = info
  const millimetres = spacing?.filter((one) => one > 0).map((one) => Number(one.toFixed(3)))
  return (
    <FactList
      label={t('facts')}
      facts={[
        [t('fact.kind'), kind],
        [t('fact.size'), `${width} × ${height}`],
        [t('fact.depth'), depth],
        ...(modality === null ? [] : [[t('fact.modality'), modality] as const]),
        ...(millimetres ? [[t('fact.spacing'), millimetres.join(' × ')] as const] : []),
      ]}
    />
  )
}
