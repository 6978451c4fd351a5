import { MedloomError } from '@medloom/client'
import { useCallback, useEffect, useState } from 'react'
import { DropZone, FileTrigger } from 'react-aria-components'
import { Button } from '../components/button'
import { TextField } from '../components/field'
import { Problem } from '../components/problem'
import { Progress } from '../components/progress'
import { data as text } from '../text/data'
import { useFormatters } from '../text/formatters'
import { useText } from '../text/use-text'
import { droppedFiles, type LocalFile, selectedFiles, withoutCommonFolder } from './local-files'
import styles from './upload-panel.module.css'
import { nextName } from './uploaded-files'
import { useUpload } from './use-upload'

/** Upload of files that are dropped or selected. onDone: receives the folder at the service and the paths of the files in it. */
export function UploadPanel({
  onDone,
}: {
  readonly onDone: (folder: string, paths: readonly string[]) => void
}) {
  const t = useText(text)
  const [files, setFiles] = useState<readonly LocalFile[] | null>(null)
  const [folder, setFolder] = useState('')
  const choose = (chosen: readonly LocalFile[]) => {
    const { folder: common, files: relative } = withoutCommonFolder(chosen)
    setFiles(relative)
    setFolder(common ?? relative[0]?.path.replace(/\.[^.]*$/, '').split('/')[0] ?? '')
  }
  const finished = useCallback(
    (path: string) => onDone(path, files?.map((one) => one.path) ?? []),
    [onDone, files],
  )
  if (files && files.length > 0)
    return (
      <Upload
        files={files}
        folder={folder}
        onFolder={setFolder}
        onOther={() => setFiles(null)}
        onDone={finished}
      />
    )
  return (
    <DropZone
      className={styles.zone ?? ''}
      aria-label={t('upload.drop')}
      onDrop={({ items }) => void droppedFiles(items).then(choose)}
    >
      <p>{t('upload.drop')}</p>
      <div className={styles.buttons}>
        <FileTrigger allowsMultiple onSelect={(list) => choose(selectedFiles(list))}>
          <Button icon="file">{t('upload.files')}</Button>
        </FileTrigger>
        <FileTrigger acceptDirectory onSelect={(list) => choose(selectedFiles(list))}>
          <Button icon="folder">{t('upload.folder')}</Button>
        </FileTrigger>
      </div>
      {files && <p role="alert">{t('upload.none')}</p>}
    </DropZone>
  )
}

/** The target exists: from an earlier interrupted upload, or another file. */
function targetExists(error: unknown): boolean {
  return error instanceof MedloomError && error.code === 'FILE_EXISTS'
}

function Upload({
  files,
  folder,
  onFolder,
  onOther,
  onDone,
}: {
  readonly files: readonly LocalFile[]
  readonly folder: string
  readonly onFolder: (folder: string) => void
  readonly onOther: () => void
  readonly onDone: (folder: string) => void
}) {
  const t = useText(text)
  const format = useFormatters()
  const upload = useUpload()
  const size = files.reduce((all, { file }) => all + file.size, 0)
  const running = upload.state === 'running'
  const arrived = upload.state === 'done' ? upload.folder : null
  useEffect(() => {
    if (arrived !== null) onDone(arrived)
  }, [arrived, onDone])
  return (
    <div className={styles.upload}>
      <p>{t('upload.chosen', { count: files.length, size: format.bytes(size) })}</p>
      <TextField
        label={t('upload.name')}
        hint={t('upload.name.hint')}
        value={folder}
        onChange={onFolder}
        isDisabled={running || upload.done > 0}
      />
      {upload.state !== 'idle' && (
        <>
          <Progress label={t('upload.progress')} value={size === 0 ? null : upload.sent / size} />
          <p role="status" className={styles.soft}>
            {t('upload.done', {
              done: upload.done,
              count: files.length,
              sent: format.bytes(upload.sent),
              size: format.bytes(size),
            })}
          </p>
        </>
      )}
      {upload.error !== null && (
        <Problem error={upload.error}>
          {targetExists(upload.error) && (
            <div className={styles.buttons}>
              <Button kind="primary" onPress={() => void upload.start(files, folder.trim(), true)}>
                {t('upload.missing')}
              </Button>
              <Button
                onPress={() => {
                  upload.reset()
                  onFolder(nextName(folder.trim()))
                  void upload.start(files, nextName(folder.trim()))
                }}
              >
                {t('upload.beside', { name: nextName(folder.trim()) })}
              </Button>
            </div>
          )}
        </Problem>
      )}
      <div className={styles.buttons}>
        {running ? (
          <Button icon="stopped" onPress={upload.pause}>
            {t('upload.stop')}
          </Button>
        ) : (
          <Button
            kind="primary"
            icon="upload"
            isDisabled={folder.trim() === ''}
            onPress={() => void upload.start(files, folder.trim())}
          >
            {t(upload.state === 'idle' ? 'upload.start' : 'upload.goOn')}
          </Button>
        )}
        {!running && (
          <Button
            onPress={() => {
              upload.reset()
              onOther()
            }}
          >
            {t('new.other')}
          </Button>
        )}
      </div>
    </div>
  )
}
