import { useCallback, useRef, useState } from 'react'
import { service } from '../app/service'
import { whole } from './already-there'
import type { ChosenFile } from './dropped'
import { filesThere } from './files-there'

/** Parallel uploads: more would not be faster, and each would wait longer. */
const AT_ONCE = 4

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
  const finished = useRef(new Set<ChosenFile>())
  const stop = useRef<AbortController>(undefined)
  /** onlyMissing: skips files of an earlier upload that are already in the folder. */
  const start = useCallback(async (files: readonly ChosenFile[], folder: string, onlyMissing = false) => {
    const abort = new AbortController()
    stop.current = abort
    const sent = new Map<ChosenFile, number>(
      files.map((one) => [one, finished.current.has(one) ? one.file.size : 0]),
    )
    const tell = (changes: Partial<UploadState>) =>
      setShown((before) => ({
        ...before,
        done: files.filter((one) => finished.current.has(one)).length,
        sent: [...sent.values()].reduce((all, bytes) => all + bytes, 0),
        ...changes,
      }))
    tell({ state: 'running', error: null })
    if (onlyMissing)
      try {
        const there = await filesThere(folder, files)
        for (const one of there ? whole(files, there) : []) {
          finished.current.add(one)
          sent.set(one, one.file.size)
        }
        tell({ folder: there?.folder ?? null })
      } catch (error) {
        return tell({ state: 'failed', error })
      }
    const left = files.filter((one) => !finished.current.has(one))
    const work = async () => {
      for (let one = left.shift(); one && !abort.signal.aborted; one = left.shift()) {
        const file = one
        const upload = await service.uploadFile(file.file, {
          folder,
          path: file.path,
          signal: abort.signal,
          onProgress: (bytes) => {
            sent.set(file, bytes)
            tell({})
          },
        })
        finished.current.add(file)
        tell({ folder: upload.folder })
      }
    }
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, work))
      tell({ state: abort.signal.aborted ? 'paused' : 'done' })
    } catch (error) {
      const paused = abort.signal.aborted
      abort.abort()
      tell(paused ? { state: 'paused' } : { state: 'failed', error })
    }
  }, [])
  const pause = useCallback(() => stop.current?.abort(), [])
  const reset = useCallback(() => {
    stop.current?.abort()
    finished.current = new Set()
    setShown(IDLE)
  }, [])
  return { ...shown, start, pause, reset }
}
