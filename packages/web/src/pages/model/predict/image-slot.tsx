import { useEffect, useState } from 'react'
import { DropZone, FileTrigger, Text } from 'react-aria-components'
import { urlOf } from '../../../app/service'
import { Button } from '../../../components/button'
import { Icon } from '../../../components/icon'
import { Problem } from '../../../components/problem'
import { droppedFiles, selectedFiles } from '../../../files/local-files'
import { useFormatters } from '../../../text/formatters'
import { model as text } from '../../../text/model'
import { useText } from '../../../text/use-text'
import styles from './case-form.module.css'
import type { CaseImage } from './use-case-images'

/** Formats that every browser shows. The service draws the others once they have arrived. */
const SHOWN_TYPES = ['image/png', 'image/jpeg']
const MAX_SHOWN_BYTES = 30 * 1000 ** 2
/** Pixels of the picture that the service draws. */
const DRAWN_SIZE = 256

/** The image of one view: a place to drop files on, or to choose one. */
export function ImageSlot({
  column,
  required,
  image,
  onFiles,
  onRemove,
}: {
  readonly column: string
  readonly required: boolean
  readonly image: CaseImage | undefined
  readonly onFiles: (files: readonly File[]) => void
  readonly onRemove: () => void
}) {
  const t = useText(text)
  const name = t('predict.image', { column })
  const choose = (files: readonly { readonly file: File }[]) =>
    files.length > 0 && onFiles(files.map(({ file }) => file))
  return (
    <DropZone
      className={styles.slot ?? ''}
      aria-label={t('predict.drop')}
      onDrop={({ items }) => void droppedFiles(items).then(choose)}
    >
      <Preview image={image} name={name} />
      <div className={styles.slotText}>
        <Text slot="label" className={styles.slotName ?? ''}>
          {name}
        </Text>
        <p className={styles.soft} role="status">
          {image ? <Sent image={image} /> : t(required ? 'predict.imageHint' : 'predict.imageOptional')}
        </p>
        <div className={styles.slotButtons}>
          <FileTrigger onSelect={(list) => choose(selectedFiles(list))}>
            <Button icon="file" aria-label={t(image ? 'predict.replace' : 'predict.choose', { name })}>
              {t(image ? 'predict.replaceShort' : 'predict.chooseShort')}
            </Button>
          </FileTrigger>
          {image && (
            <Button kind="quiet" icon="close" aria-label={t('predict.remove', { name })} onPress={onRemove} />
          )}
        </div>
        {image && image.error !== null && <Problem error={image.error} />}
      </div>
    </DropZone>
  )
}

function Sent({ image: { file, sent, upload, error } }: { readonly image: CaseImage }) {
  const t = useText(text)
  const format = useFormatters()
  const size = format.bytes(file.size)
  if (error !== null) return t('predict.uploadFailed', { file: file.name })
  if (upload) return t('predict.uploaded', { file: file.name, size })
  return (
    <>
      {t('predict.uploading', { file: file.name })}{' '}
      <span aria-hidden="true">{format.percent(sent / Math.max(1, file.size))}</span>
    </>
  )
}

/** The chosen picture; the frame has the same size without one. */
function Preview({ image, name }: { readonly image: CaseImage | undefined; readonly name: string }) {
  const t = useText(text)
  const local = useDataUrl(image?.file)
  const upload = image?.upload
  const drawn = upload ? urlOf('previewUpload', { upload_id: upload.upload_id, size: DRAWN_SIZE }) : null
  const [unreadable, setUnreadable] = useState<string | null>(null)
  const source = local ?? (drawn === unreadable ? null : drawn)
  return (
    <div className={styles.preview}>
      {source === null ? (
        <Icon name="image" />
      ) : (
        <img src={source} alt={t('predict.preview', { name })} onError={() => setUnreadable(source)} />
      )}
    </div>
  )
}

/** A data address, because the policy of the page permits no others for local files; null while it is read, and for other formats. */
function useDataUrl(file: File | undefined): string | null {
  const [read, setRead] = useState<{ readonly file: File; readonly url: string } | null>(null)
  useEffect(() => {
    if (!file || !SHOWN_TYPES.includes(file.type) || file.size > MAX_SHOWN_BYTES) return
    const reader = new FileReader()
    reader.onload = () => setRead({ file, url: String(reader.result) })
    reader.readAsDataURL(file)
    return () => reader.abort()
  }, [file])
  return read && read.file === file ? read.url : null
}
