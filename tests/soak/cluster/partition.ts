import { execFileSync } from 'node:child_process'
import { registerCleanup } from '../../testing/cleanup.js'

/** Addresses that exist only in namespaces of this machine. */
const OUTSIDE = '10.213.7.1'
const INSIDE = '10.213.7.2'

/** A network namespace with one link to the default one, which can be cut. */
export class Partition {
  readonly inside = INSIDE
  readonly outside = OUTSIDE
  readonly #name = `medloom-${process.pid}`
  readonly #link = `ml${process.pid % 100_000}`
  readonly #unregister = registerCleanup(() => this.remove())

  constructor() {
    const [link, name] = [this.#link, this.#name]
    ip('netns', 'add', name)
    ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'inside', 'netns', name)
    ip('addr', 'add', `${OUTSIDE}/30`, 'dev', link)
    ip('link', 'set', link, 'up')
    ip('-n', name, 'addr', 'add', `${INSIDE}/30`, 'dev', 'inside')
    ip('-n', name, 'link', 'set', 'inside', 'up')
    ip('-n', name, 'link', 'set', 'lo', 'up')
  }

  /** Command prefix that starts a command inside. */
  get prefix(): readonly string[] {
    return ['ip', 'netns', 'exec', this.#name]
  }

  cut(): void {
    ip('link', 'set', this.#link, 'down')
  }

  join(): void {
    ip('link', 'set', this.#link, 'up')
  }

  remove(): void {
    this.#unregister()
    ip('netns', 'del', this.#name)
  }
}

/** Reason why namespaces cannot be created here. */
export function canPartition(): string | undefined {
  try {
    new Partition().remove()
    return undefined
  } catch {
    return 'network namespaces need Linux and the right to make them'
  }
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: 'ignore' })
}
