import type { HandlersOf } from '../http/bind.js'
import type { Folders } from './folders.js'
import type { Uploads } from './uploads.js'

export function filesRoutes(folders: Folders, uploads: Uploads): HandlersOf<'files'> {
  return {
    listFiles: ({ query }) => folders.list(query.path, query.page_size, query.page_token),
    createUpload: ({ body, actor }) => uploads.create(body, actor.user),
    listUploads: async ({ actor }) => ({
      uploads: await uploads.list(actor.role === 'admin' ? undefined : actor.user),
    }),
    getUpload: ({ params }) => uploads.get(params.upload_id),
    sendUpload: ({ params, query, content }) => uploads.write(params.upload_id, query.offset, content),
    finishUpload: ({ params, body }) => uploads.finish(params.upload_id, body.sha256),
    deleteUpload: async ({ params }) => {
      await uploads.remove(params.upload_id)
      return { upload_id: params.upload_id }
    },
  }
}
