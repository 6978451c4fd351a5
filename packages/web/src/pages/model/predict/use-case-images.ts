import type { Upload } from '@medloom/contracts'
import { useCallback, useEffect, useRef, useState } from 'react'
import { service } from '../../../app/service'
import { uploadName } from './case-values'

/** An image of a case, on its way to the service or there. */
export interface CaseImage {
  readonly file: File
  readonly sent: number
  readonly upload: Upload | null
  readonly error: unknown
}

export type CaseImages = Readonly<Record<string, CaseImage>>

/** Image column → chosen file; each file is uploaded at once. Uploads end when the form closes. */
export function useCaseImages() {
  const [images, setImages] = useState<CaseImages>({})
  const running = useRef(new Map<string, AbortController>())
  useEffect(() => {
    const uploads = running.current
    return () => {
      for (const controller of uploads.values()) controller.abort()
    }
  }, [])
  const remove = useCallback((column: string) => {
    running.current.get(column)?.abort()
    setImages(({ [column]: _, ...others }) => others)
  }, [])
  const choose = useCallback(async (column: string, file: File) => {
    running.current.get(column)?.abort()
    const controller = new AbortController()
    running.current.set(column, controller)
    const set = (changes: Partial<CaseImage>) => {
      if (controller.signal.aborted) return
      const start: CaseImage = { file, sent: 0, upload: null, error: null }
      setImages((before) => {
        const known = before[column]
        return { ...before, [column]: { ...(known?.file === file ? known : start), ...changes } }
      })
    }
    set({ sent: 0, upload: null, error: null })
    try {
      const upload = await service.uploadFile(file, {
        folder: `prediction-${randomName()}`,
        path: uploadName(file.name),
        signal: controller.signal,
        onProgress: (sent) => set({ sent }),
      })
      set({ upload })
    } catch (error) {
      set({ error })
    }
  }, [])
  return { images, choose, remove }
}

/** crypto.randomUUID exists only on HTTPS and this machine. */
function randomName(): string {
  return [...crypto.getRandomValues(new Uint8Array(8))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
