import { ScrollRegion } from './scroll-region'
import styles from './text-block.module.css'

/** A log or a file in its original form; long lines wrap, long texts scroll. */
export function TextBlock({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <ScrollRegion className={styles.block} label={label}>
      <pre>{text}</pre>
    </ScrollRegion>
  )
}
