import styles from './tags.module.css'

/** Tags of a job, in the order in which they were added. */
export function Tags({ tags }: { readonly tags: readonly string[] }) {
  if (tags.length === 0) return null
  return (
    <ul className={styles.tags}>
      {tags.map((tag) => (
        <li key={tag} className={styles.tag}>
          {tag}
        </li>
      ))}
    </ul>
  )
}
