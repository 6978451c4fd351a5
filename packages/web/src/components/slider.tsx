import { Slider as AriaSlider, Label, SliderOutput, SliderThumb, SliderTrack } from 'react-aria-components'
import styles from './slider.module.css'

/** A number within a range, by mouse, touch or arrow keys. */
export function Slider({
  label,
  value,
  min = 0,
  max,
  step,
  onChange,
}: {
  readonly label: string
  readonly value: number
  readonly min?: number
  readonly max: number
  readonly step: number
  readonly onChange: (value: number) => void
}) {
  return (
    <AriaSlider
      className={styles.slider ?? ''}
      value={value}
      minValue={min}
      maxValue={max}
      step={step}
      onChange={(next) => onChange(next as number)}
    >
      <Label>{label}</Label>
      <SliderTrack className={styles.track ?? ''}>
        <SliderThumb className={styles.thumb ?? ''} />
      </SliderTrack>
      <SliderOutput className={styles.output ?? ''} />
    </AriaSlider>
  )
}
