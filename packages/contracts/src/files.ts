import { z } from 'zod'
import { owner } from './people/users.js'
import { Timestamp } from './timestamp.js'
import { NO_CONTROL_CHARACTERS } from './validation/no-control-characters.js'

/** Files that requests may name, and files that are uploaded to the service. */

export const FILE_KINDS = ['folder', 'table', 'image', 'dicom', 'nifti', 'other'] as const

export const FileEntry = z
  .object({
    name: z.string(),
    path: z.string().meta({ description: 'Absolute path with resolved links; can be used in requests' }),
    kind: z.enum(FILE_KINDS).meta({ description: 'Type by file name extension; DICOM also by content' }),
    size_bytes: z.int().nullable().meta({ description: 'Null for folders' }),
    modified_at: Timestamp,
  })
  .meta({ id: 'FileEntry' })
export type FileEntry = z.infer<typeof FileEntry>

export const FolderListing = z
  .object({
    path: z
      .string()
      .nullable()
      .meta({ description: 'Null: the list of the folders that requests can access' }),
    parent: z.string().nullable().meta({ description: 'Parent folder, if requests can access it' }),
    entries: z.array(FileEntry).meta({ description: 'Folders first, then by name; without hidden entries' }),
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
  /**
   * Share of the disk space that the uploads of others leave. The unfinished uploads of one user may need this much, so that other users and
   * trainings keep some.
   */
  upload_space_share: 0.8,
  /** An unfinished upload is removed after this time without a new piece. */
  upload_seconds: 2 * 24 * 3600,
  /** The same for an upload of which nothing has arrived: until then, its announcement alone reserves space. */
  empty_upload_seconds: 3600,
} as const

const FOLDER_NAME = /^[^./\\][^/\\]*$/
const RELATIVE_PATH = /^[^./\\][^/\\]*(\/[^./\\][^/\\]*)*$/

const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .optional()
  .meta({ title: 'Digest of the content, verified before the file is moved to its destination' })

export const UploadRequest = z
  .strictObject({
    folder: z.string().max(200).regex(FOLDER_NAME).regex(NO_CONTROL_CHARACTERS).meta({
      title:
        'Folder in the uploads of the service, created if missing; all files of one upload use the same folder',
    }),
    path: z.string().max(2000).regex(RELATIVE_PATH).regex(NO_CONTROL_CHARACTERS).meta({
      title: 'Path of the file in that folder, separated by /; without hidden parts',
    }),
    size_bytes: z.int().min(0).max(UPLOAD_LIMITS.upload_bytes),
    sha256,
  })
  .meta({ id: 'UploadRequest' })
export type UploadRequest = z.infer<typeof UploadRequest>

/** End of an upload whose sender computed the digest while it sent the file. */
export const FinishUploadRequest = z.strictObject({ sha256 }).meta({ id: 'FinishUploadRequest' })
export type FinishUploadRequest = z.infer<typeof FinishUploadRequest>

export const Upload = z
  .object({
    upload_id: z.string(),
    owner,
    folder: z.string().meta({ description: 'Absolute path; can be used in requests' }),
    path: z.string().meta({ description: 'Absolute path of the file after the upload is finished' }),
    size_bytes: z.int(),
    offset: z.int().meta({ description: 'Number of received bytes; the next chunk starts here' }),
    finished: z.boolean(),
    expires_at: Timestamp.nullable().meta({
      description: 'Time at which the upload expires unless another chunk arrives; null: finished',
    }),
  })
  .meta({ id: 'Upload' })
export type Upload = z.infer<typeof Upload>
