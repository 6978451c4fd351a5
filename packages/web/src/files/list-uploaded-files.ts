import { MedloomError } from '@medloom/client'
import { service } from '../app/service'
import type { LocalFile } from './local-files'
import type { UploadedFolder } from './uploaded-files'

const PAGE = 1000
/** The upload folder is the last root that the service lists; it has a number if another root uses the same name. */
const UPLOADS = /^uploads(-\d+)?$/

/** Reads only the folder into which the files would be uploaded. */
export async function listUploadedFiles(
  folder: string,
  files: readonly LocalFile[],
): Promise<UploadedFolder | null> {
  const roots = await service.listFiles({ page_size: PAGE })
  const uploads = roots.entries.filter(({ name }) => UPLOADS.test(name)).at(-1)?.path
  if (uploads === undefined) return null
  const base = `${uploads}/${folder}`
  const sizes = new Map<string, number>()
  for (const subfolder of new Set(
    files.map(({ path }) => path.slice(0, Math.max(0, path.lastIndexOf('/')))),
  )) {
    const prefix = subfolder === '' ? '' : `${subfolder}/`
    for (const { name, size } of await listFolder(subfolder === '' ? base : `${base}/${subfolder}`))
      sizes.set(`${prefix}${name}`, size)
  }
  return { folder: base, sizes }
}

async function listFolder(path: string): Promise<{ readonly name: string; readonly size: number }[]> {
  const files: { name: string; size: number }[] = []
  let token: string | null = null
  do {
    const page: Awaited<ReturnType<typeof service.listFiles>> | null = await service
      .listFiles({ path, page_size: PAGE, ...(token === null ? {} : { page_token: token }) })
      .catch((error: unknown) => {
        if (error instanceof MedloomError && error.code === 'FILE_NOT_FOUND') return null
        throw error
      })
    for (const { name, size_bytes } of page?.entries ?? [])
      if (size_bytes !== null) files.push({ name, size: size_bytes })
    token = page?.next_page_token ?? null
  } while (token !== null)
  return files
}
