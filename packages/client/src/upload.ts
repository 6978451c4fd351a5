import type { Upload } from '@medloom/contracts'
import type { CallOptions } from './call.js'
import { ContentDigest } from './content-digest.js'
import { PIECE_SECONDS, UPLOAD_RETRY_SECONDS } from './durations.js'
import { clientError, MedloomError } from './errors.js'
import type { RouteMethods } from './methods.js'
import { retry } from './retry.js'
import { type IncrementalDigest, Sha256 } from './sha256.js'

type Service = Pick<RouteMethods, 'createUpload' | 'getUpload' | 'sendUpload' | 'finishUpload'> & {
  /** Creates a faster digest than that of this package. */
  readonly createDigest?: (() => IncrementalDigest) | undefined
}

export interface UploadOptions {
  /** Folder below the uploads of the service, common to all files that belong together. */
  readonly folder: string
  /** Path of the file in that folder, separated by /. */
  readonly path: string
  /** Hexadecimal digest of the content, if it is known; otherwise it is computed while the file is sent. */
  readonly sha256?: string
  /** Called with the number of bytes stored at the service, initially those of an earlier attempt. */
  readonly onProgress?: (sent: number, total: number) => void
  /** Ends the upload; the stored pieces remain, and the same upload continues from there. */
  readonly signal?: AbortSignal
  /** Bytes per request. Default 8 MiB. */
  readonly pieceBytes?: number
  /** Seconds without new stored bytes after which the upload fails. Default 300. */
  readonly retrySeconds?: number
}

const PIECE_BYTES = 8 * 1024 ** 2

/**
 * Uploads a file in pieces. A broken connection or a restarted service costs one piece: the service reports the stored size. It compares the
 * digest of the content before it moves the file to its destination.
 */
export async function uploadFile(service: Service, content: Blob, options: UploadOptions): Promise<Upload> {
  const { folder, path, sha256, onProgress, signal, pieceBytes = PIECE_BYTES } = options
  const { createDigest = () => new Sha256() } = service
  const call = signal ? { signal } : {}
  const announced = { folder, path, size_bytes: content.size, ...(sha256 === undefined ? {} : { sha256 }) }
  let upload = await patiently(options, () => service.createUpload(announced, call))
  const { upload_id } = upload
  const read = async (start: number, end: number) =>
    new Uint8Array(await readPiece(content.slice(start, end)))
  const digest = new ContentDigest(createDigest(), read)
  onProgress?.(upload.offset, content.size)
  while (upload.offset < content.size) {
    const { offset } = upload
    upload = await patiently(options, async (attempt) => {
      const received = attempt === 0 ? offset : (await service.getUpload({ upload_id }, call)).offset
      const piece = await read(received, received + pieceBytes)
      if (piece.length === 0) return service.getUpload({ upload_id }, call)
      if (sha256 === undefined) await digest.add(received, piece)
      const patient = { ...call, timeoutSeconds: PIECE_SECONDS }
      return service.sendUpload({ upload_id, offset: received, content: piece }, patient)
    })
    onProgress?.(upload.offset, content.size)
  }
  const request = { upload_id, sha256: sha256 ?? (await digest.end(content.size)) }
  return patiently(options, (attempt) => finish(service, { upload, request, again: attempt > 0 }, call))
}

interface Finishing {
  readonly upload: Upload
  readonly request: { readonly upload_id: string; readonly sha256: string }
  /** An earlier request may have finished it, and its response was lost. */
  readonly again: boolean
}

async function finish(
  service: Service,
  { upload, request, again }: Finishing,
  call: CallOptions,
): Promise<Upload> {
  try {
    return await service.finishUpload(request, call)
  } catch (error) {
    if (!again || !(error instanceof MedloomError) || error.code !== 'UPLOAD_NOT_FOUND') throw error
    return { ...upload, finished: true, expires_at: null }
  }
}

/** A file that was changed or removed in the meantime cannot be read. */
async function readPiece(piece: Blob): Promise<ArrayBuffer> {
  try {
    return await piece.arrayBuffer()
  } catch (cause) {
    throw clientError('FILE_UNREADABLE', 'The file cannot be read any more.', { cause })
  }
}

/**
 * Repeats, with growing pauses, a request that may succeed later: one without a response, or one that conflicts with another request of
 * this upload. A full disk is an error, because a person must free space.
 */
function patiently<Result>(
  { signal, retrySeconds = UPLOAD_RETRY_SECONDS }: UploadOptions,
  attempt: (number: number) => Promise<Result>,
): Promise<Result> {
  return retry(attempt, { seconds: retrySeconds, signal, isWorthAgain })
}

function isWorthAgain(error: unknown): boolean {
  if (!(error instanceof MedloomError)) return false
  return error.code === 'UPLOAD_OFFSET' || (error.isTransient && error.code !== 'DISK_FULL')
}
