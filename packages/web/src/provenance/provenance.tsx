import type { ReactNode } from 'react'
import { CopyButton } from '../components/copy-button'
import { FactList } from '../components/fact-list'
import { useFormatters } from '../text/formatters'
import { provenance as text } from '../text/provenance'
import { useText } from '../text/use-text'
import styles from './provenance.module.css'

/** Provenance of results, as far as it is known. */
export interface Provenance {
  readonly key: string
  /** Source of the results: description and link. */
  readonly source: readonly [words: string, link: ReactNode]
  /** Input data: the part, and its digest if it is known. */
  readonly data: readonly { readonly part: string; readonly name: string; readonly digest: string | null }[]
  /** Link to the configuration; absent: there is none. */
  readonly configuration?: ReactNode
  readonly seed?: number | undefined
  /** Package → version; null: unknown; absent: nothing was computed. */
  readonly software?: Readonly<Record<string, string>> | null
  /** Additional facts. */
  readonly more?: readonly (readonly [words: string, value: ReactNode])[]
}

/** Section of every page with results, initially collapsed: source, data, configuration, seed and versions. */
export function ProvenanceSection({
  children,
  onOpen,
}: {
  readonly children: ReactNode
  readonly onOpen?: () => void
}) {
  const t = useText(text)
  return (
    <details className={styles.provenance} onToggle={({ currentTarget }) => currentTarget.open && onOpen?.()}>
      <summary>{t('title')}</summary>
      <div className={styles.content}>{children}</div>
    </details>
  )
}

/** Provenance of one result in full. */
export function ProvenanceFacts({ provenance }: { readonly provenance: Provenance }) {
  const t = useText(text)
  const format = useFormatters()
  const { source, data, configuration, seed, software, more = [] } = provenance
  return (
    <FactList
      facts={[
        source,
        ...data.map(
          ({ part, name, digest }) =>
            [
              t('data', { part }),
              <span key={part} className={styles.data}>
                <span>{name}</span>
                {digest === null ? <span>{t('unread')}</span> : <Digest digest={digest} />}
              </span>,
            ] as const,
        ),
        ...(configuration === undefined ? [] : [[t('configuration'), configuration] as const]),
        ...(seed === undefined ? [] : [[t('seed'), format.count(seed)] as const]),
        ...(software === undefined
          ? []
          : [[t('software'), software === null ? t('software.unknown') : versionList(software)] as const]),
        ...more,
      ]}
    />
  )
}

function Digest({ digest }: { readonly digest: string }) {
  const t = useText(text)
  return (
    <>
      <code>{digest}</code>
      <CopyButton kind="quiet" text={digest}>
        {t('copy')}
      </CopyButton>
    </>
  )
}

function versionList(software: Readonly<Record<string, string>>): string {
  return Object.entries(software)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')
}
