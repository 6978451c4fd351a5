import { z } from 'zod'
import { FinishUploadRequest, FolderListing, Upload, UploadRequest } from '../files.js'
import { FLAT_BODY, page, type RouteDeclaration } from './declaration.js'

const uploadId = z.object({ upload_id: z.string() })

/** Files that requests may name, and files that are uploaded to the service. */
export const FILE_ROUTES = {
  listFiles: {
    method: 'GET',
    path: '/api/files',
    tag: 'files',
    access: 'read',
    owned: false,
    summary: 'List the folders that requests can access, or the contents of one of them',
    query: z.object({
      path: z
        .string()
        .min(1)
        .max(4096)
        .optional()
        .meta({ description: 'Folder to list. Default: the list of all accessible folders' }),
      ...page,
    }),
    response: FolderListing,
    errors: ['PATH_NOT_ALLOWED', 'FILE_NOT_FOUND', 'FILE_NOT_REGULAR'],
  },
  createUpload: {
    method: 'POST',
    path: '/api/uploads',
    tag: 'files',
    access: 'run',
    changes: true,
    owned: false,
    summary:
      'Start an upload; a repeated request for the same file of the same user returns the unfinished upload',
    body: UploadRequest,
    ...FLAT_BODY,
    response: Upload,
    errors: ['FILE_EXISTS', 'TOO_MANY_UPLOADS'],
  },
  listUploads: {
    method: 'GET',
    path: '/api/uploads',
    tag: 'files',
    access: 'run',
    owned: false,
    summary: 'List the unfinished uploads of the caller; for an administrator, of all users',
    response: z.object({ uploads: z.array(Upload) }),
  },
  getUpload: {
    method: 'GET',
    path: '/api/uploads/{upload_id}',
    tag: 'files',
    access: 'run',
    owned: 'upload',
    summary: 'Get the progress of an upload',
    params: uploadId,
    response: Upload,
    errors: ['UPLOAD_NOT_FOUND'],
  },
  sendUpload: {
    method: 'PUT',
    path: '/api/uploads/{upload_id}',
    tag: 'files',
    access: 'run',
    owned: 'upload',
    summary: 'Upload the next chunk of a file; received bytes are kept if the connection breaks',
    params: uploadId,
    query: z.object({ offset: z.coerce.number().int().min(0) }),
    takes: 'application/octet-stream',
    response: Upload,
    errors: ['UPLOAD_NOT_FOUND', 'UPLOAD_OFFSET', 'PAYLOAD_TOO_LARGE', 'INVALID_JSON'],
  },
  finishUpload: {
    method: 'POST',
    path: '/api/uploads/{upload_id}/finish',
    tag: 'files',
    access: 'run',
    changes: true,
    owned: 'upload',
    summary: 'Finish an upload: verify the digest and move the file to its destination',
    params: uploadId,
    body: FinishUploadRequest,
    ...FLAT_BODY,
    bodyRequired: false,
    response: Upload,
    errors: ['UPLOAD_NOT_FOUND', 'UPLOAD_INCOMPLETE', 'UPLOAD_DIGEST', 'FILE_EXISTS'],
  },
  deleteUpload: {
    method: 'DELETE',
    path: '/api/uploads/{upload_id}',
    tag: 'files',
    access: 'run',
    changes: true,
    owned: 'upload',
    summary: 'Cancel an unfinished upload and remove the received bytes',
    params: uploadId,
    response: z.object({ upload_id: z.string() }),
    errors: ['UPLOAD_NOT_FOUND'],
  },
} as const satisfies Record<string, RouteDeclaration>
