import { useState } from 'react'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Checkbox, SearchField } from '../../components/field'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import styles from './columns-button.module.css'

/** More columns are found by search. */
const MAX_LISTED = 100
/** Limit of the API. */
const MAX_SELECTED = 200

/** Selection of the columns of a table. */
export function ColumnsButton({
  columns,
  chosen,
  onChange,
}: {
  readonly columns: readonly string[]
  readonly chosen: readonly string[]
  readonly onChange: (columns: readonly string[]) => void
}) {
  const t = useText(text)
  const [isOpen, setOpen] = useState(false)
  const [searchTerm, setSearchTerm] = useState('')
  const found = columns.filter((name) => name.toLowerCase().includes(searchTerm.toLowerCase()))
  const change = (name: string, on: boolean) =>
    onChange(columns.filter((known) => (known === name ? on : chosen.includes(known))).slice(0, MAX_SELECTED))
  return (
    <>
      <Button aria-haspopup="dialog" onPress={() => setOpen(true)}>
        {t('cases.columns')}
      </Button>
      <Dialog title={t('cases.columns.title')} isOpen={isOpen} onClose={() => setOpen(false)}>
        <SearchField label={t('columns.search')} value={searchTerm} onChange={setSearchTerm} />
        <div className={styles.list}>
          {found.slice(0, MAX_LISTED).map((name) => (
            <Checkbox key={name} isSelected={chosen.includes(name)} onChange={(on) => change(name, on)}>
              <bdi className={styles.name}>{name}</bdi>
            </Checkbox>
          ))}
          {found.length > MAX_LISTED && (
            <p>{t('cases.columns.more', { hidden: found.length - MAX_LISTED })}</p>
          )}
        </div>
      </Dialog>
    </>
  )
}
