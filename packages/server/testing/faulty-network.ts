import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A network between nodes and a service, with the faults of real networks. */
export class FaultyNetwork {
  /** A connection breaks after this many bytes from the node, or to it; null: none breaks. */
  cutAfter: { readonly sent: number; readonly received: number } | null = null
  /** Data that a node sends on a connection is lost from the first piece that matches, and the connection stays open. */
  holds: RegExp | null = null
  /** Once, bytes that a node receives are replaced by others of the same length. */
  damage: { readonly from: string; readonly to: string } | null = null
  /** Number of broken connections, and of bytes to the nodes. */
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

  /** Every connection breaks, and none can be opened until `comeBack`. */
  goAway(): void {
    this.#away = true
    for (const socket of this.#sockets) socket.destroy()
  }

  comeBack(): void {
    this.#away = false
  }

  /** Number of started requests of this kind, by the last part of their address; for an error code, the number of responses with it. */
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
      // Phrases have codes in lower case.
      this.#note(/"code":"([A-Z_]+)"/, bytes)
      return this.#damaged(bytes)
    })
  }

  /** Passes on the bytes up to the break, which occurs in the middle of a chunk. */
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
      // The other side still receives the data that was sent.
      to.end(() => to.destroy())
      from.destroy()
    })
  }

  #note(pattern: RegExp, bytes: Buffer): void {
    const name = pattern.exec(bytes.toString('latin1', 0, 4000))?.[1]
    if (name !== undefined) this.#seen.set(name, this.seen(name) + 1)
  }

  #damaged(bytes: Buffer): Buffer {
    const index = this.damage ? bytes.indexOf(this.damage.from) : -1
    if (!this.damage || index < 0) return bytes
    bytes.write(this.damage.to, index)
    this.damage = null
    return bytes
  }
}
