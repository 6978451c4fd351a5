import { useId } from 'react'
import styles from './step-slider.module.css'

/** Selects one of a list of values by mouse, touch or arrow keys. Screen readers read the value, not its index. */
export function StepSlider({
  label,
  steps,
  value,
  format,
  onChange,
}: {
  readonly label: string
  /** Steps in ascending order. */
  readonly steps: readonly number[]
  readonly value: number
  readonly format: (value: number) => string
  readonly onChange: (value: number) => void
}) {
  const id = useId()
  return (
    <div className={styles.slider}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={steps.length - 1}
        step={1}
        value={nearestStep(steps, value)}
        aria-valuetext={format(value)}
        onChange={({ target }) => onChange(steps[Number(target.value)] ?? value)}
      />
      <output htmlFor={id}>{format(value)}</output>
    </div>
  )
}

/** Index of the step nearest to a value. */
export function nearestStep(steps: readonly number[], value: number): number {
  let nearest = 0
  for (const [index, step] of steps.entries())
    if (Math.abs(step - value) < Math.abs((steps[nearest] ?? 0) - value)) nearest = index
  return nearest
}
