import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, type Stats } from 'node:fs'
import { link, lstat, open, realpath, stat, statfs, truncate } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { atPlace, LIMITS, type Phrase, phrase, type Upload, type UploadRequest } from '@medloom/contracts'
import { KeyedMutex } from '../concurrency/keyed-mutex.js'
import { AppError } from '../errors.js'
import type { Actor } from '../security/actor.js'
import type { DataFolder } from '../storage/data-folder.js'
import { syncFolder } from '../storage/files.js'
import { isInside } from '../storage/is-inside.js'
import { makeFolder } from '../storage/own-folder.js'
import { type Announced, Announcements } from './announcements.js'

interface Writing {
  readonly stop: AbortController
  readonly ended: Promise<unknown>
}

type UnfinishedLimits = Readonly<Record<'unfinished_uploads' | 'unfinished_uploads_in_total', number>>

/** Maximum length of one path component on every common file system. */
const MAX_NAME_BYTES = 255

/**
 * Files that are sent to the service in pieces. An unfinished one has a separate folder, so that it survives the connection and the
 * service; a finished one is moved to its path atomically, and never replaces another file.
 */
export class Uploads {
  readonly #writing = new Map<string, Writing>()
  readonly #mutex = new KeyedMutex()
  readonly #announcements: Announcements

  constructor(
    private readonly folder: Pick<DataFolder, 'uploads' | 'incoming'>,
    private readonly limits: UnfinishedLimits = LIMITS,
    private readonly freeBytes = () => freeBytesOf(folder.incoming),
  ) {
    this.#announcements = new Announcements(folder.incoming)
  }

  /** @throws AppError FILE_EXISTS, TOO_MANY_UPLOADS, DISK_FULL */
  create(request: UploadRequest, owner: string): Promise<Upload> {
    return this.#mutex.run('create', async () => {
      refuseLongNames(request)
      if (await exists(this.#target(request))) throw alreadyThere()
      const unfinished = await this.#announcements.all()
      const own = unfinished.filter((known) => known.owner === owner)
      const same = own.find((known) => isSame(known, request))
      if (same) return this.#describe(same)
      this.#refuseTooMany(own.length, unfinished.length)
      await this.#refuseFullDisk(request.size_bytes, owner, unfinished)
      const announced: Announced = { upload_id: randomUUID(), owner, ...request }
      await this.#announcements.add(announced)
      return this.#describe(announced)
    })
  }

  /** The unfinished uploads of a user, or of all users, the next to expire first. */
  async list(owner?: string): Promise<Upload[]> {
    const unfinished = await this.#announcements.all()
    const chosen = unfinished.filter((known) => owner === undefined || known.owner === owner)
    // An upload may end while the others are read.
    const described = await Promise.all(chosen.map((known) => this.#describe(known).catch(() => undefined)))
    return described
      .filter((upload) => upload !== undefined)
      .sort((a, b) => ((a.expires_at ?? '') < (b.expires_at ?? '') ? -1 : 1))
  }

  /** @throws AppError UPLOAD_NOT_FOUND */
  async get(uploadId: string): Promise<Upload> {
    return this.#describe(await this.#read(uploadId))
  }

  /**
   * Append a piece. An earlier request for the same upload, whose connection may have been lost unnoticed, is ended.
   * @throws AppError UPLOAD_NOT_FOUND, UPLOAD_OFFSET, PAYLOAD_TOO_LARGE
   */
  async write(uploadId: string, offset: number, content: Readable): Promise<Upload> {
    const announced = await this.#read(uploadId)
    const before = this.#writing.get(uploadId)
    const stop = new AbortController()
    const ended = this.#append(announced, offset, content, stop.signal, before)
    const mine = { stop, ended }
    this.#writing.set(uploadId, mine)
    try {
      await ended
    } catch (error) {
      if (stop.signal.aborted) throw wrongOffset(phrase('upload_written_by_other'))
      throw error
    } finally {
      if (this.#writing.get(uploadId) === mine) this.#writing.delete(uploadId)
    }
    return this.#describe(announced)
  }

  async #append(
    { upload_id, size_bytes }: Announced,
    offset: number,
    content: Readable,
    signal: AbortSignal,
    before: Writing | undefined,
  ): Promise<void> {
    before?.stop.abort()
    await before?.ended.catch(() => undefined)
    const { size } = await stat(this.#announcements.content(upload_id))
    if (offset !== size) throw wrongOffset(phrase('chunk_must_start_at', { size, offset }))
    const file = createWriteStream(this.#announcements.content(upload_id), { flags: 'a' })
    await pipeline(content, atMost(size_bytes - offset), file, { signal })
  }

  /**
   * @param sha256 digest of the content, if its sender knows it only now
   * @throws AppError UPLOAD_NOT_FOUND, UPLOAD_INCOMPLETE, UPLOAD_DIGEST, FILE_EXISTS
   */
  finish(uploadId: string, sha256?: string): Promise<Upload> {
    return this.#mutex.run(uploadId, async () => {
      const announced = await this.#read(uploadId)
      const content = this.#announcements.content(uploadId)
      const { size } = await stat(content)
      if (size !== announced.size_bytes)
        throw new AppError(
          'UPLOAD_INCOMPLETE',
          phrase('upload_incomplete', { received: size, size: announced.size_bytes }),
        )
      const expected = [announced.sha256, sha256].filter((digest) => digest !== undefined)
      const actual = expected.length > 0 ? await digestOf(content) : undefined
      if (expected.some((digest) => digest !== actual)) {
        await truncate(content)
        throw new AppError('UPLOAD_DIGEST', phrase('digest_differs'))
      }
      const target = this.#target(announced)
      await makeFolder(dirname(target))
      // A link that somebody created there must not lead out of the folder.
      if (!isInside([this.folder.uploads], await realpath(dirname(target)))) throw alreadyThere()
      await sync(content)
      await link(content, target).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'EEXIST' ? alreadyThere() : error
      })
      await syncFolder(dirname(target))
      await this.#announcements.finish(announced)
      return { ...this.#places(announced), offset: size, finished: true, expires_at: null }
    })
  }

  /** @throws AppError UPLOAD_NOT_FOUND */
  async remove(uploadId: string): Promise<void> {
    await this.#read(uploadId)
    const writing = this.#writing.get(uploadId)
    writing?.stop.abort()
    await writing?.ended.catch(() => undefined)
    await this.#announcements.remove(uploadId)
  }

  /**
   * The file of a finished upload.
   * @throws AppError UPLOAD_NOT_FOUND: it is unknown, unfinished, of another user, or its file was removed.
   */
  async fileOf(uploadId: string, { user, role }: Pick<Actor, 'user' | 'role'>): Promise<string> {
    const announced = await this.#announcements.findFinished(uploadId)
    const mayRead = announced && (announced.owner === user || role === 'admin')
    if (!mayRead || !(await exists(this.#target(announced)))) throw unknownFinished()
    return this.#target(announced)
  }

  /** Remove abandoned uploads that nobody sends at the moment, and forget finished ones whose file was removed. */
  async sweep(now = Date.now()): Promise<void> {
    for (const id of await this.#announcements.finishedIds()) {
      const announced = await this.#announcements.findFinished(id)
      if (announced && !(await exists(this.#target(announced)))) await this.#announcements.forgetFinished(id)
    }
    for (const name of await this.#announcements.ids()) {
      const found = await stat(this.#announcements.content(name)).catch(() => undefined)
      const isExpired = !found || expiryOf(found) < now
      if (isExpired && !this.#writing.has(name)) await this.#announcements.remove(name)
    }
  }

  async #read(uploadId: string): Promise<Announced> {
    const announced = await this.#announcements.find(uploadId)
    if (!announced) throw new AppError('UPLOAD_NOT_FOUND', phrase('upload_unknown'))
    return announced
  }

  async #describe(announced: Announced): Promise<Upload> {
    const received = await stat(this.#announcements.content(announced.upload_id))
    const expires = new Date(expiryOf(received))
    return {
      ...this.#places(announced),
      ...{ offset: received.size, finished: false, expires_at: expires.toISOString() },
    }
  }

  /** @throws AppError TOO_MANY_UPLOADS */
  #refuseTooMany(own: number, all: number): void {
    const { unfinished_uploads, unfinished_uploads_in_total } = this.limits
    if (own >= unfinished_uploads)
      throw new AppError('TOO_MANY_UPLOADS', phrase('uploads_of_user', { count: own }))
    if (all >= unfinished_uploads_in_total)
      throw new AppError('TOO_MANY_UPLOADS', phrase('uploads_of_all', { count: all }))
  }

  /**
   * Space for the rest of unfinished uploads is reserved, but no user can reserve all of it.
   * @throws AppError DISK_FULL, TOO_MANY_UPLOADS
   */
  async #refuseFullDisk(size: number, owner: string, unfinished: readonly Announced[]): Promise<void> {
    const free = await this.freeBytes()
    if (size > free) throw new AppError('DISK_FULL', phrase('no_space_for_upload', { size }))
    const missing = await Promise.all(
      unfinished.map(async (known) => ({ owner: known.owner, bytes: await this.#missingBytes(known) })),
    )
    const sum = (of: typeof missing) => of.reduce((total, { bytes }) => total + bytes, 0)
    const own = sum(missing.filter((known) => known.owner === owner))
    const others = sum(missing) - own
    if (size + own + others > free)
      throw new AppError('DISK_FULL', phrase('no_space_beside_uploads', { size, reserved: own + others }))
    const available = free - others
    if (size + own <= available * LIMITS.upload_space_share) return
    const values = { size, free: available, percent: 100 * LIMITS.upload_space_share }
    if (own === 0) throw new AppError('DISK_FULL', phrase('upload_above_share', values))
    throw new AppError('TOO_MANY_UPLOADS', phrase('uploads_above_share', { ...values, reserved: own }))
  }

  /** Bytes that an upload still needs; an expired one needs none. */
  async #missingBytes({ upload_id, size_bytes }: Announced): Promise<number> {
    // An upload may end while the others are read.
    const received = await stat(this.#announcements.content(upload_id)).catch(() => undefined)
    return !received || expiryOf(received) < Date.now() ? 0 : size_bytes - received.size
  }

  #places(announced: Announced) {
    return {
      upload_id: announced.upload_id,
      owner: announced.owner,
      folder: join(this.folder.uploads, announced.folder),
      path: this.#target(announced),
      size_bytes: announced.size_bytes,
    }
  }

  #target({ folder, path }: UploadRequest): string {
    return join(this.folder.uploads, folder, ...path.split('/'))
  }
}

/** Time at which an unfinished upload expires, in milliseconds. */
function expiryOf({ size, mtimeMs }: Pick<Stats, 'size' | 'mtimeMs'>): number {
  return mtimeMs + 1000 * (size === 0 ? LIMITS.empty_upload_seconds : LIMITS.upload_seconds)
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

function isSame(known: Announced, request: UploadRequest): boolean {
  return (['folder', 'path', 'size_bytes', 'sha256'] as const).every(
    (field) => known[field] === request[field],
  )
}

function refuseLongNames({ folder, path }: UploadRequest): void {
  if ([folder, ...path.split('/')].some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES))
    throw new AppError(
      'INVALID_REQUEST',
      atPlace('path', phrase('name_too_long', { limit: MAX_NAME_BYTES })),
      phrase('shorten_names'),
    )
}

/** Passes data on, and refuses more than the upload may still receive or than a request may send. */
function atMost(remaining: number): Transform {
  const most = Math.min(remaining, LIMITS.upload_piece_bytes)
  let seen = 0
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      seen += piece.length
      if (seen <= most) done(null, piece)
      else done(new AppError('PAYLOAD_TOO_LARGE', phrase('chunk_too_large', { limit: most })))
    },
  })
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash)
  return hash.digest('hex')
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

function alreadyThere(): AppError {
  return new AppError('FILE_EXISTS', phrase('file_exists_in_folder'))
}

function unknownFinished(): AppError {
  return new AppError(
    'UPLOAD_NOT_FOUND',
    phrase('finished_upload_unknown'),
    phrase('finish_upload', { route: 'POST /api/uploads/{upload_id}/finish' }),
  )
}

function wrongOffset(message: Phrase): AppError {
  return new AppError('UPLOAD_OFFSET', message)
}
