import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** A minimal node:http server that serves the files of a folder, and writes and hashes uploads. */
export async function startBareServer(
  root: string,
  written: string,
): Promise<{ readonly address: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/'
    if (request.method === 'GET') return pipeline(createReadStream(join(root, path)), response)
    const hash = createHash('sha256')
    request.on('data', (chunk: Buffer) => hash.update(chunk))
    await pipeline(request, createWriteStream(join(written, path)))
    response.end(hash.digest('hex'))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return { address: `http://127.0.0.1:${port}`, close: () => void server.close() }
}
