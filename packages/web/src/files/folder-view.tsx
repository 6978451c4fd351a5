import type { FileEntry } from '@medloom/contracts'
import { ListBox, ListBoxItem } from 'react-aria-components'
import { usePages } from '../app/pages'
import { ErrorNotice } from '../components/boundary'
import { Button } from '../components/button'
import { Icon, type IconName } from '../components/icon'
import { Skeleton } from '../components/skeleton'
import { files as text } from '../text/files'
import { useFormatters } from '../text/formatters'
import { useText } from '../text/use-text'
import styles from './folder-view.module.css'

const PAGE = 200
const ICONS = {
  folder: 'folder',
  table: 'file',
  image: 'image',
  dicom: 'image',
  nifti: 'image',
  other: 'file',
} as const satisfies Record<FileEntry['kind'], IconName>

export type AcceptedEntries = 'table' | 'folder' | 'tableOrFolder' | 'any'

/**
 * Content of a folder that the service may read. A click opens a folder or selects a file; a folder itself can be selected where one is
 * requested. folder: undefined shows the folders that requests may use.
 */
export function FolderView({
  folder,
  accepts,
  onOpen,
  onChoose,
}: {
  readonly folder: string | undefined
  readonly accepts: AcceptedEntries
  readonly onOpen: (folder: string | undefined) => void
  readonly onChoose: (path: string) => void
}) {
  const t = useText(text)
  const listing = useFolder(folder)
  const { first, items: entries } = listing
  if (listing.isError)
    return (
      <div className={styles.view}>
        <ErrorNotice error={listing.error} onRetry={() => void listing.refetch()} />
        {folder !== undefined && (
          <div>
            <Button icon="folder" onPress={() => onOpen(undefined)}>
              {t('roots')}
            </Button>
          </div>
        )}
      </div>
    )
  if (!first) return <Skeleton height={18} />
  const openEntry = (path: string) => {
    const entry = entries.find((known) => known.path === path)
    if (entry?.kind === 'folder') onOpen(path)
    else if (entry) onChoose(path)
  }
  const disabled = entries.filter((entry) => !isAccepted(entry, accepts)).map(({ path }) => path)
  const { path } = first
  return (
    <div className={styles.view}>
      <div className={styles.location}>
        <Button
          kind="quiet"
          icon="left"
          isDisabled={path === null}
          onPress={() => onOpen(first.parent ?? undefined)}
        >
          {t('up')}
        </Button>
        <bdi className={styles.path}>{path ?? t('roots')}</bdi>
        {path !== null && (accepts === 'folder' || accepts === 'tableOrFolder') && (
          <Button onPress={() => onChoose(path)}>{t('take.folder')}</Button>
        )}
      </div>
      <ListBox
        aria-label={t('entries')}
        className={styles.list ?? ''}
        items={entries}
        disabledKeys={disabled}
        onAction={(key) => openEntry(String(key))}
        renderEmptyState={() => (
          <p className={styles.empty}>{t(path === null ? 'entries.none' : 'entries.empty')}</p>
        )}
      >
        {(entry) => <Entry id={entry.path} entry={entry} />}
      </ListBox>
      {listing.hasNextPage && (
        <div>
          <Button isDisabled={listing.isFetching} onPress={listing.more}>
            {t('entries.more', { left: first.total - entries.length })}
          </Button>
        </div>
      )}
    </div>
  )
}

/** id: distinguishes the entries of one folder from those of the next. */
function Entry({ id, entry }: { readonly id: string; readonly entry: FileEntry }) {
  const t = useText(text)
  const format = useFormatters()
  const { name, kind, size_bytes, modified_at } = entry
  return (
    <ListBoxItem id={id} textValue={name} className={styles.entry ?? ''}>
      <Icon name={ICONS[kind]} />
      <bdi className={styles.name}>{name}</bdi>
      <span className={styles.fact}>{t(`kind.${kind}`)}</span>
      <span className={styles.fact}>{size_bytes === null ? '' : format.bytes(size_bytes)}</span>
      <span className={styles.fact}>{format.moment(modified_at)}</span>
    </ListBoxItem>
  )
}

/** A folder can always be opened. */
function isAccepted({ kind }: FileEntry, accepts: AcceptedEntries): boolean {
  if (kind === 'folder' || accepts === 'any') return true
  return accepts !== 'folder' && kind === 'table'
}

function useFolder(path: string | undefined) {
  return usePages('listFiles', 'entries', { ...(path === undefined ? {} : { path }), page_size: PAGE })
}
