import { z } from 'zod'
import { owner } from './people/users.js'
import { Timestamp } from './timestamp.js'
import { NO_CONTROL_CHARACTERS } from './validation/no-control-characters.js'

/** Files that requests may name, and files that are uploaded to the service. */

export const FILE_KINDS = ['folder', 'table', 'image', 'dicom', 'nifti', 'other'] as const

export const FileEntry = z
  .object({
    name: z.string(),
    path: z.string().meta({ description: 'Absolute, links resolved; requests may name it' }),
    kind: z.enum(FILE_KINDS).meta({ description: 'By the ending of the name; DICOM also by content' }),
    size_bytes: z.int().nullable().meta({ description: 'Null for folders' }),
    modified_at: Timestamp,
  })
  .meta({ id: 'FileEntry' })
export type FileEntry = z.infer<typeof FileEntry>

export const FolderListing = z
  .object({
    path: z.string().nullable().meta({ description: 'Null: the list of the folders that requests may name' }),
    parent: z.string().nullable().meta({ description: 'The folder above, where requests may name it' }),
    entries: z.array(FileEntry).meta({ description: 'Folders first, then by name; hidden ones left out' }),
    total: z.int(),
    next_page_token: z.string().nullable(),
  })
  .meta({ id: 'FolderListing' })
export type FolderListing = z.infer<typeof FolderListing>

export const UPLOAD_LIMITS = {
  upload_bytes: 256 * 1024 ** 3,
  /** Size of one request. */
  upload_piece_bytes: 64 * 1024 ** 2,
  /** Limit per user. */
  unfinished_uploads: 200,
  /** Limit of all users together. */
  unfinished_uploads_in_total: 2000,
  /** An unfinished upload is removed after this time without a new piece. */
  upload_seconds: 2 * 24 * 3600,
} as const

const FOLDER_NAME = /^[^./\\][^/\\]*$/
const RELATIVE_PATH = /^[^./\\][^/\\]*(\/[^./\\][^/\\]*)*$/

export const UploadRequest = z
  .strictObject({
    folder: z.string().max(200).regex(FOLDER_NAME).regex(NO_CONTROL_CHARACTERS).meta({
      title:
        'Folder below the uploads of the service, made when it is not there; all files of one upload name the same',
    }),
    path: z.string().max(2000).regex(RELATIVE_PATH).regex(NO_CONTROL_CHARACTERS).meta({
      title: 'Place of the file in that folder, with / between its parts; no part is hidden',
    }),
    size_bytes: z.int().min(0).max(UPLOAD_LIMITS.upload_bytes),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .meta({ title: 'Digest of the content, compared before the file is put in its place' }),
  })
  .meta({ id: 'UploadRequest' })
export type UploadRequest = z.infer<typeof UploadRequest>

export const Upload = z
  .object({
    upload_id: z.string(),
    owner,
    folder: z.string().meta({ description: 'Absolute; requests may name it' }),
    path: z.string().meta({ description: 'Absolute; the file is there once the upload is finished' }),
    size_bytes: z.int(),
    offset: z.int().meta({ description: 'Bytes that are kept: the next piece starts here' }),
    finished: z.boolean(),
    expires_at: Timestamp.nullable().meta({
      description: 'When it is removed unless another piece comes; null: finished',
    }),
  })
  .meta({ id: 'Upload' })
export type Upload = z.infer<typeof Upload>
