import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The way from nodes to a service, with the faults that networks have. */
export class FaultyNetwork {
  /** A connection breaks after so many bytes from the node, or to it; null: none does. */
  cutAfter: { readonly sent: number; readonly received: number } | null = null
  /** What a node sends on a connection is lost from the first piece on that contains this, and nothing breaks. */
  holds: RegExp | null = null
  /** Once, in what a node receives: bytes of the same length in place of others. */
  damage: { readonly from: string; readonly to: string } | null = null
  /** Connections that broke, and bytes to the nodes. */
  cuts = 0
  received = 0
  readonly #seen = new Map<string, number>()
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer((node) => this.#carry(node))
  #away = false

  private constructor(public target: string) {}

  /** @param target address of the service; it may be set later. */
  static async open(target = ''): Promise<FaultyNetwork> {
    const network = new FaultyNetwork(target)
    await once(network.#server.listen(0, '127.0.0.1'), 'listening')
    return network
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Every connection breaks, and none can be made until `comeBack`. */
  goAway(): void {
    this.#away = true
    for (const socket of this.#sockets) socket.destroy()
  }

  comeBack(): void {
    this.#away = false
  }

  /** How many requests of this kind have begun, by the last part of their address; of a code of errors: how many answers had it. */
  seen(name: string): number {
    return this.#seen.get(name) ?? 0
  }

  async close(): Promise<void> {
    this.goAway()
    await once(this.#server.close(), 'close')
  }

  #carry(node: Socket): void {
    if (this.#away) return void node.destroy()
    const { hostname, port } = new URL(this.target)
    const service = connect(Number(port), hostname)
    const cut = () => {
      node.destroy()
      service.destroy()
    }
    for (const socket of [node, service]) {
      this.#sockets.add(socket)
      socket.on('error', cut)
      socket.on('close', () => {
        this.#sockets.delete(socket)
        cut()
      })
    }
    let isHeld = false
    this.#pass(node, service, 'sent', (bytes) => {
      this.#note(/^[A-Z]+ \S*?\/(\w+)(?:\?\S*)? HTTP/, bytes)
      isHeld ||= this.holds?.test(bytes.toString('latin1')) ?? false
      return isHeld ? Buffer.alloc(0) : bytes
    })
    this.#pass(service, node, 'received', (bytes) => {
      this.received += bytes.length
      this.#note(/"code":"(\w+)"/, bytes)
      return this.#damaged(bytes)
    })
  }

  /** What fits before the break goes through: it comes in the middle of a chunk. */
  #pass(from: Socket, to: Socket, way: 'sent' | 'received', change: (bytes: Buffer) => Buffer): void {
    let passed = 0
    from.on('data', (data: Buffer) => {
      const most = this.cutAfter?.[way] ?? Number.POSITIVE_INFINITY
      const bytes = change(data).subarray(0, Math.max(0, most - passed))
      passed += data.length
      const breaks = passed >= most
      if (!to.write(bytes)) {
        from.pause()
        to.once('drain', () => from.resume())
      }
      if (!breaks) return
      this.cuts += 1
      // The other side still gets what it was sent.
      to.end(() => to.destroy())
      from.destroy()
    })
  }

  #note(pattern: RegExp, bytes: Buffer): void {
    const name = pattern.exec(bytes.toString('latin1', 0, 4000))?.[1]
    if (name !== undefined) this.#seen.set(name, this.seen(name) + 1)
  }

  #damaged(bytes: Buffer): Buffer {
    const at = this.damage ? bytes.indexOf(this.damage.from) : -1
    if (!this.damage || at < 0) return bytes
    bytes.write(this.damage.to, at)
    this.damage = null
    return bytes
  }
}
