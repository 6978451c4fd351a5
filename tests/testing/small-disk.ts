import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { registerCleanup } from './cleanup.js'
import { endUsers } from './end-users.js'
import { temporaryFolder } from './service.js'

/** A folder with its own file system of this size in MB. */
export class SmallDisk {
  readonly #unregister = registerCleanup(() => this.remove())

  constructor(
    readonly folder: string,
    megabytes: number,
  ) {
    mkdirSync(folder, { recursive: true })
    mount(folder, megabytes)
  }

  resize(megabytes: number): void {
    mount(this.folder, megabytes, 'remount,')
  }

  remove(): void {
    endUsers(this.folder)
    execFileSync('umount', ['--lazy', this.folder])
    this.#unregister()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Small file systems can be mounted here; skipped tests report it. */
export const canMount = tryMount()

function mount(folder: string, megabytes: number, how = ''): void {
  const options = `${how}size=${Math.round(megabytes * 1024)}k,mode=700`
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' })
}

function tryMount(): boolean {
  const folder = temporaryFolder('small-disk')
  try {
    new SmallDisk(folder, 1).remove()
    return true
  } catch {
    rmSync(folder, { recursive: true, force: true })
    return false
  }
}
