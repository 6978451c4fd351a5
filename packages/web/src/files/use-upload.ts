import { useCallback, useRef, useState } from 'react'
import { service } from '../app/service'
import { listUploadedFiles } from './list-uploaded-files'
import type { LocalFile } from './local-files'
import { completelyUploaded } from './uploaded-files'

/** Parallel uploads: more would not be faster, and each would wait longer. */
const PARALLEL_UPLOADS = 4

export interface UploadState {
  readonly state: 'idle' | 'running' | 'paused' | 'failed' | 'done'
  readonly done: number
  readonly sent: number
  readonly error: unknown
  /** Folder at the service; known once the first file has been uploaded. */
  readonly folder: string | null
}

const IDLE: UploadState = { state: 'idle', done: 0, sent: 0, error: null, folder: null }

/** Uploads files and continues with the missing ones after a pause or a failure. */
export function useUpload() {
  const [shown, setShown] = useState(IDLE)
  const finished = useRef(new Set<LocalFile>())
  const controller = useRef<AbortController>(undefined)
  /** onlyMissing: skips files of an earlier upload that are already in the folder. */
  const start = useCallback(async (files: readonly LocalFile[], folder: string, onlyMissing = false) => {
    const abort = new AbortController()
    controller.current = abort
    const sent = new Map<LocalFile, number>(
      files.map((one) => [one, finished.current.has(one) ? one.file.size : 0]),
    )
    const update = (changes: Partial<UploadState>) =>
      setShown((before) => ({
        ...before,
        done: files.filter((one) => finished.current.has(one)).length,
        sent: [...sent.values()].reduce((all, bytes) => all + bytes, 0),
        ...changes,
      }))
    update({ state: 'running', error: null })
    if (onlyMissing)
      try {
        const uploaded = await listUploadedFiles(folder, files)
        for (const one of uploaded ? completelyUploaded(files, uploaded) : []) {
          finished.current.add(one)
          sent.set(one, one.file.size)
        }
        update({ folder: uploaded?.folder ?? null })
      } catch (error) {
        return update({ state: 'failed', error })
      }
    const remaining = files.filter((one) => !finished.current.has(one))
    const uploadRemaining = async () => {
      for (let one = remaining.shift(); one && !abort.signal.aborted; one = remaining.shift()) {
        const file = one
        const upload = await service.uploadFile(file.file, {
          folder,
          path: file.path,
          signal: abort.signal,
          onProgress: (bytes) => {
            sent.set(file, bytes)
            update({})
          },
        })
        finished.current.add(file)
        update({ folder: upload.folder })
      }
    }
    try {
      await Promise.all(Array.from({ length: PARALLEL_UPLOADS }, uploadRemaining))
      update({ state: abort.signal.aborted ? 'paused' : 'done' })
    } catch (error) {
      const paused = abort.signal.aborted
      abort.abort()
      update(paused ? { state: 'paused' } : { state: 'failed', error })
    }
  }, [])
  const pause = useCallback(() => controller.current?.abort(), [])
  const reset = useCallback(() => {
    controller.current?.abort()
    finished.current = new Set()
    setShown(IDLE)
  }, [])
  return { ...shown, start, pause, reset }
}
