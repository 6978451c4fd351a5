import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import styles from './skeleton.module.css'

/** Placeholder of content that is loading, so that nothing moves when it arrives. height: in rem. */
export function Skeleton({ height }: { readonly height: number }) {
  const t = useText(parts)
  return (
    <div className={styles.skeleton} style={{ height: `${height}rem` }} role="status" aria-busy="true">
      <span className="visually-hidden">{t('loading')}</span>
    </div>
  )
}
