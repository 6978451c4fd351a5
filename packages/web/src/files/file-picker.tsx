import { type ReactNode, useState } from 'react'
import { Button } from '../components/button'
import { Dialog } from '../components/dialog'
import { TextField } from '../components/field'
import { files as text } from '../text/files'
import { useText } from '../text/use-text'
import styles from './file-picker.module.css'
import { type AcceptedEntries, FolderView } from './folder-view'

/** A path on the machine of the service: typed, or selected within the folders that requests may use. */
export function FilePicker({
  label,
  value,
  onChange,
  accepts,
  hint,
  error,
  placeholder,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (path: string) => void
  readonly accepts: AcceptedEntries
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly placeholder?: string
}) {
  const t = useText(text)
  const [isOpen, setOpen] = useState(false)
  return (
    <div className={styles.picker}>
      <TextField
        label={label}
        value={value}
        onChange={onChange}
        error={error}
        {...(hint === undefined ? {} : { hint })}
        {...(placeholder === undefined ? {} : { placeholder })}
      />
      <Button
        icon="folder"
        aria-label={`${t('browse')}: ${label}`}
        aria-haspopup="dialog"
        onPress={() => setOpen(true)}
      >
        {t('browse')}
      </Button>
      {isOpen && (
        <PickerDialog
          title={t('choose', { label })}
          accepts={accepts}
          start={folderOf(value)}
          onClose={() => setOpen(false)}
          onChoose={(path) => {
            onChange(path)
            setOpen(false)
          }}
        />
      )}
    </div>
  )
}

function PickerDialog({
  title,
  accepts,
  start,
  onClose,
  onChoose,
}: {
  readonly title: string
  readonly accepts: AcceptedEntries
  readonly start: string | undefined
  readonly onClose: () => void
  readonly onChoose: (path: string) => void
}) {
  const [folder, setFolder] = useState(start)
  return (
    <Dialog title={title} size="wide" isOpen onClose={onClose}>
      <FolderView folder={folder} accepts={accepts} onOpen={setFolder} onChoose={onChoose} />
    </Dialog>
  )
}

/** Folder of a previously selected path, as far as the text shows it. */
function folderOf(path: string): string | undefined {
  const end = path.lastIndexOf('/')
  return path.startsWith('/') && end > 0 ? path.slice(0, end) : undefined
}
