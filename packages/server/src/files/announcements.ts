import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { UploadRequest } from '@medloom/contracts'
import { writeJsonAtomically } from '../storage/files.js'
import { makeFolder } from '../storage/own-folder.js'
import { systemFault } from '../storage/system-fault.js'

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
    if (!/^[0-9a-f-]{36}$/.test(uploadId)) return undefined
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
  ids(): Promise<string[]> {
    return readdir(this.folder)
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

  #announcement(uploadId: string): string {
    return join(this.folder, uploadId, 'upload.json')
  }
}

/** A file that cannot be read counts as absent, unless the error is a fault of the machine. */
function unlessOfMachine(error: unknown): undefined {
  if (systemFault(error)) throw error
}
