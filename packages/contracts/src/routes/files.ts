import { z } from 'zod'
import { FolderListing, Upload, UploadRequest } from '../files.js'
import { page, type RouteDeclaration } from './declaration.js'

const uploadId = z.object({ upload_id: z.string() })

/** Files that requests may name, and files that are sent to the service. */
export const FILE_ROUTES = {
  listFiles: {
    method: 'GET',
    path: '/api/files',
    tag: 'files',
    access: 'read',
    summary: 'The folders that requests may name, or what is in one of them',
    query: z.object({
      path: z.string().min(1).max(4096).optional().meta({ description: 'A folder; absent: all of them' }),
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
    summary: 'Announce a file to upload; the same file again gives the unfinished upload, to go on with',
    body: UploadRequest,
    response: Upload,
    errors: ['FILE_EXISTS', 'TOO_MANY_UPLOADS'],
  },
  getUpload: {
    method: 'GET',
    path: '/api/uploads/{upload_id}',
    tag: 'files',
    access: 'run',
    summary: 'How far an upload has come',
    params: uploadId,
    response: Upload,
    errors: ['UPLOAD_NOT_FOUND'],
  },
  sendUpload: {
    method: 'PUT',
    path: '/api/uploads/{upload_id}',
    tag: 'files',
    access: 'run',
    summary: 'Send the next piece of a file; what arrives is kept, also when the connection breaks',
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
    summary: 'Compare the digest of a complete file and put it in its place',
    params: uploadId,
    response: Upload,
    errors: ['UPLOAD_NOT_FOUND', 'UPLOAD_INCOMPLETE', 'UPLOAD_DIGEST', 'FILE_EXISTS'],
  },
  deleteUpload: {
    method: 'DELETE',
    path: '/api/uploads/{upload_id}',
    tag: 'files',
    access: 'run',
    changes: true,
    summary: 'Give an unfinished upload up and remove what was sent',
    params: uploadId,
    response: z.object({ upload_id: z.string() }),
    errors: ['UPLOAD_NOT_FOUND'],
  },
} as const satisfies Record<string, RouteDeclaration>
