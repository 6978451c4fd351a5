import { Icon, type IconName } from './icon'
import styles from './status.module.css'

export type Tone = 'waiting' | 'running' | 'good' | 'bad' | 'neutral'

const ICONS = {
  waiting: 'waiting',
  running: 'running',
  good: 'good',
  bad: 'bad',
  neutral: 'stopped',
} as const satisfies Record<Tone, IconName>

/** Status as icon and text; the color repeats it. */
export function Status({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return (
    <span className={styles.status} data-tone={tone}>
      <Icon name={ICONS[tone]} />
      {children}
    </span>
  )
}
