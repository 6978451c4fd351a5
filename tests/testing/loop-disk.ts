import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { registerCleanup } from './cleanup.js'
import { endUsers } from './end-users.js'
import { PYTHON, temporaryFolder } from './service.js'

/** EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH: data that is not on the disk yet is lost, as in a power failure. */
const CUT_POWER = `import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack("I", 2))`

/** An ext4 file system in a file, mounted at a folder: its power can be cut, and a part of it can be made unreadable. */
export class LoopDisk {
  readonly #image: string
  readonly #unregister = registerCleanup(() => this.remove())
  #tail: { offset: number; content: Buffer } | undefined

  constructor(
    readonly folder: string,
    megabytes: number,
  ) {
    mkdirSync(folder, { recursive: true })
    this.#image = join(dirname(folder), 'disk.img')
    closeSync(openSync(this.#image, 'w'))
    truncateSync(this.#image, megabytes * 1024 * 1024)
    tool('mkfs.ext4', '-q', '-m', '0', this.#image)
    this.#mount()
  }

  /** From here on nothing is written, and every write fails. */
  cutPower(): void {
    tool(PYTHON, '-c', CUT_POWER, this.folder)
  }

  /** Makes the file system read-only, as the kernel does after an error, although files on it are open for writing. */
  becomeReadOnly(): void {
    tool('mount', '-o', 'remount,abort', this.folder)
  }

  /** Mounts the file system again, which replays the journal. */
  async restorePower(): Promise<void> {
    for (const deadline = Date.now() + 20_000; ; await delay(50)) {
      // Processes end with the machine.
      endUsers(this.folder)
      try {
        tool('umount', this.folder)
        break
      } catch (error) {
        // Killed processes use the disk until they have ended.
        if (Date.now() > deadline) throw error
      }
    }
    this.#mount()
  }

  /**
   * Reading the disk at or after the position of a file fails with EIO. From here on the disk is read-only: a write would extend the image
   * again.
   */
  breakFrom(path: string): void {
    // No page of the file remains in memory.
    tool('umount', this.folder)
    this.#mount('loop,ro')
    const offset = placeOf(path)
    const { size } = statSync(this.#image)
    const content = Buffer.alloc(size - offset)
    const file = openSync(this.#image, 'r')
    readSync(file, content, 0, content.length, offset)
    closeSync(file)
    this.#tail = { offset, content }
    truncateSync(this.#image, offset)
  }

  repair(): void {
    if (!this.#tail) return
    const file = openSync(this.#image, 'r+')
    writeSync(file, this.#tail.content, 0, this.#tail.content.length, this.#tail.offset)
    closeSync(file)
    this.#tail = undefined
  }

  remove(): void {
    this.repair()
    endUsers(this.folder)
    tool('umount', '--lazy', this.folder)
    this.#unregister()
    rmSync(this.folder, { recursive: true, force: true })
    rmSync(this.#image, { force: true })
  }

  #mount(options = 'loop'): void {
    tool('mount', '-o', options, this.#image, this.folder)
  }
}

/** Reason why a disk cannot be created here, or null: it requires Linux, the right to mount, loop devices and ext4 with shutdown support. */
export const whyNoLoopDisk = await tryLoopDisk()

async function tryLoopDisk(): Promise<string | null> {
  const folder = temporaryFolder('loop')
  let disk: LoopDisk | undefined
  try {
    disk = new LoopDisk(join(folder, 'mounted'), 8)
    disk.cutPower()
    await disk.restorePower()
    return null
  } catch (error) {
    return `no ext4 on a loop device can be mounted and shut down: ${String((error as Error).message).split('\n')[0]}`
  } finally {
    disk?.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Byte offset of a file on the disk. */
export function placeOf(path: string): number {
  const extents = tool('filefrag', '-v', '-b4096', path)
  const physical = /^ +0: +\d+\.\. +\d+: +(\d+)\.\./m.exec(extents)?.[1]
  if (physical === undefined) throw new Error(`filefrag tells no place of ${path}:\n${extents}`)
  return Number(physical) * 4096
}

function tool(command: string, ...args: string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
