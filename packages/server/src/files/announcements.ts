import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { UploadRequest } from '@medloom/contracts'
import { writeJsonAtomically } from '../storage/files.js'
import { nullIfMissing } from '../storage/null-if-missing.js'
import { makeFolder } from '../storage/own-folder.js'
import { systemFault } from '../system-fault.js'

const UPLOAD_ID = /^[0-9a-f-]{36}$/
/** Folder of the announcements of finished uploads. */
const FINISHED = 'finished'

/** An announced upload; the size of its content shows how much has arrived. */
export interface Announced extends UploadRequest {
  readonly upload_id: string
  /** Null: announced by a version that stored no owner. */
  readonly owner: string | null
}

/** The folder of unfinished uploads. Each one is a folder with its announcement and its content. */
export class Announcements {
  constructor(private readonly folder: string) {}

  async find(uploadId: string): Promise<Announced | undefined> {
    if (!UPLOAD_ID.test(uploadId)) return undefined
    const text = await readFile(this.#announcement(uploadId), 'utf8').catch(unlessOfMachine)
    if (text === undefined) return undefined
    const stored = JSON.parse(text) as Omit<Announced, 'owner'> & Partial<Pick<Announced, 'owner'>>
    return { ...stored, owner: stored.owner ?? null }
  }

  async all(): Promise<Announced[]> {
    const found = await Promise.all((await this.ids()).map((id) => this.find(id).catch(() => undefined)))
    return found.filter((announced) => announced !== undefined)
  }

  /** Ids of all upload folders, including those without an announcement. */
  async ids(): Promise<string[]> {
    return (await readdir(this.folder)).filter((name) => name !== FINISHED)
  }

  /** Remembers a finished upload, so that requests can name its file by the id. */
  async finish({ upload_id, ...announced }: Announced): Promise<void> {
    await makeFolder(join(this.folder, FINISHED))
    await writeJsonAtomically(this.#finished(upload_id), { upload_id, ...announced })
    await this.remove(upload_id)
  }

  async findFinished(uploadId: string): Promise<Announced | undefined> {
    if (!UPLOAD_ID.test(uploadId)) return undefined
    const text = await readFile(this.#finished(uploadId), 'utf8').catch(unlessOfMachine)
    return text === undefined ? undefined : (JSON.parse(text) as Announced)
  }

  async finishedIds(): Promise<string[]> {
    const names = (await nullIfMissing(readdir(join(this.folder, FINISHED)))) ?? []
    return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length))
  }

  forgetFinished(uploadId: string): Promise<void> {
    return rm(this.#finished(uploadId), { force: true })
  }

  async add(announced: Announced): Promise<void> {
    const { upload_id } = announced
    await makeFolder(join(this.folder, upload_id))
    await writeFile(this.content(upload_id), '', { mode: 0o600 })
    await writeJsonAtomically(this.#announcement(upload_id), announced)
  }

  remove(uploadId: string): Promise<void> {
    return rm(join(this.folder, uploadId), { recursive: true, force: true })
  }

  /** The file with the content received so far. */
  content(uploadId: string): string {
    return join(this.folder, uploadId, 'content')
  }

  #finished(uploadId: string): string {
    return join(this.folder, FINISHED, `${uploadId}.json`)
  }

  #announcement(uploadId: string): string {
    return join(this.folder, uploadId, 'upload.json')
  }
}

/** A file that cannot be read counts as absent, unless the error is a fault of the machine. */
function unlessOfMachine(error: unknown): undefined {
  if (systemFault(error)) throw error
}
