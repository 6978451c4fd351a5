import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from './free-ports.js'

const EXAMPLE = resolve(import.meta.dirname, '../../../examples/deploy/nginx.conf')

/** Debian installs it in a folder that is not in the PATH of every user. */
const PATH = `${process.env.PATH}:/usr/sbin`

/** Returns true if the proxy is installed; otherwise prints that once. */
export function hasNginx(): boolean {
  const found = spawnSync('nginx', ['-v'], { env: { PATH } }).error === undefined
  if (!found)
    process.stdout.write('nginx is not installed: the test of the example configuration is skipped.\n')
  return found
}

/** The example configuration, running in front of two processes. @returns its address, and a function that ends it */
export async function startNginx(addresses: readonly [string, string]) {
  const prefix = mkdtempSync(join(tmpdir(), 'medloom-nginx-'))
  const port = await freePort()
  const [first, second] = addresses.map((address) => new URL(address).host)
  const configuration = readFileSync(EXAMPLE, 'utf8')
    .replace('127.0.0.1:8001', first ?? '')
    .replace('127.0.0.1:8002', second ?? '')
    .replace('127.0.0.1:8080', `127.0.0.1:${port}`)
  const file = join(prefix, 'nginx.conf')
  writeFileSync(file, configuration)
  const child = spawn('nginx', ['-p', prefix, '-c', file], {
    env: { PATH },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await answers(child, port)
  return {
    address: `http://127.0.0.1:${port}`,
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
      rmSync(prefix, { recursive: true, force: true })
    },
  }
}

async function answers(child: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`)
    const socket = connect(port, '127.0.0.1')
    const connected = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (connected) return
    await new Promise((again) => setTimeout(again, 20))
  }
}
