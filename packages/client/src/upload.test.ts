import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { MedloomClient as CoreClient } from './client.js'
import { MedloomClient } from './node.js'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

const CONTENT = 'abcdefghijklmnopqrstuvwxyz'

/** A service that stores every received byte; `fault` may break a request that sends or finishes. */
async function receiver(
  fault: (request: IncomingMessage, response: ServerResponse, number: number) => boolean,
) {
  const state = {
    kept: '',
    finished: false,
    offsets: [] as number[],
    sha256: undefined as string | undefined,
  }
  let number = 0
  const server = createServer((request, response) => {
    const answer = (status: number, body: object) => {
      response.statusCode = status
      response.end(JSON.stringify(body))
    }
    const upload = () => ({
      upload_id: 'u',
      folder: '/up/study',
      path: '/up/study/a.csv',
      size_bytes: CONTENT.length,
      offset: state.kept.length,
      finished: state.finished,
      expires_at: null,
    })
    const refuse = (code: string) => answer(400, { error: code, code, details: 'do this', request_id: 'r' })
    let arrived = ''
    request.on('data', (chunk) => {
      arrived += chunk
    })
    request.on('end', () => {
      const changes = request.method === 'PUT' || request.url?.endsWith('/finish')
      if (request.method === 'PUT') {
        const offset = Number(new URL(request.url ?? '', 'http://x').searchParams.get('offset'))
        state.offsets.push(offset)
        if (offset !== state.kept.length) return refuse('UPLOAD_OFFSET')
        state.kept += arrived
      }
      if (request.url?.endsWith('/finish')) {
        if (state.finished) return refuse('UPLOAD_NOT_FOUND')
        state.finished = true
        state.sha256 = JSON.parse(arrived).sha256
      }
      if (changes && fault(request, response, number++)) return
      answer(200, upload())
    })
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await new Promise((ready) => server.once('listening', ready))
  const client = new MedloomClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  return { client, state }
}

const options = { folder: 'study', path: 'a.csv', pieceBytes: 10 }

describe('an upload', () => {
  it('sends a file in chunks and reports the progress', async () => {
    const { client, state } = await receiver(() => false)
    const offsets: number[] = []
    const upload = await client.uploadFile(new Blob([CONTENT]), {
      ...options,
      onProgress: (sent) => offsets.push(sent),
    })
    expect(upload).toMatchObject({ finished: true, path: '/up/study/a.csv' })
    expect(state.kept).toBe(CONTENT)
    expect(offsets).toEqual([0, 10, 20, 26])
  })

  it('continues from the stored bytes after a lost connection, and sends nothing twice', async () => {
    const { client, state } = await receiver((request, _, number) => {
      if (number !== 1) return false
      request.socket.destroy()
      return true
    })
    await client.uploadFile(new Blob([CONTENT]), options)
    expect(state).toMatchObject({ kept: CONTENT, offsets: [0, 10, 20] })
  })

  it.each([
    ['of the page', CoreClient],
    ['of Node', MedloomClient],
  ])(
    'with the client %s sends the digest of the content, also of bytes that were stored earlier',
    async (_, Client) => {
      const { client, state } = await receiver((request, _, number) => {
        if (number !== 1) return false
        request.socket.destroy()
        return true
      })
      state.kept = CONTENT.slice(0, 5)
      await new Client({ baseUrl: client.baseUrl }).uploadFile(new Blob([CONTENT]), options)
      expect(state).toMatchObject({ kept: CONTENT, offsets: [5, 15, 25] })
      expect(state.sha256).toBe(createHash('sha256').update(CONTENT).digest('hex'))
    },
  )

  it('completes although the final response was lost', async () => {
    const { client, state } = await receiver((request) => {
      if (!request.url?.endsWith('/finish')) return false
      request.socket.destroy()
      return true
    })
    expect(await client.uploadFile(new Blob([CONTENT]), options)).toMatchObject({ finished: true })
    expect(state.kept).toBe(CONTENT)
  })

  it('that was given up is taken up by the next one', async () => {
    const { client, state } = await receiver(() => false)
    const stop = new AbortController()
    const first = client.uploadFile(new Blob([CONTENT]), {
      ...options,
      signal: stop.signal,
      onProgress: (sent) => {
        if (sent === 10) stop.abort()
      },
    })
    await expect(first).rejects.toMatchObject({ code: 'ABORTED' })
    await client.uploadFile(new Blob([CONTENT]), options)
    expect(state).toMatchObject({ kept: CONTENT, offsets: [0, 10, 20] })
  })

  it('to a full disk fails at once, since a person has to free space', async () => {
    const { client, state } = await receiver((_, response) => {
      response.statusCode = 500
      response.end(
        JSON.stringify({ error: 'full', code: 'DISK_FULL', details: 'free space', request_id: 'r' }),
      )
      return true
    })
    const sent = client.uploadFile(new Blob([CONTENT]), options)
    await expect(sent).rejects.toMatchObject({ code: 'DISK_FULL' })
    expect(state.offsets).toEqual([0])
  })

  it('gives up when nobody answers for too long', async () => {
    const client = new MedloomClient({ baseUrl: 'http://127.0.0.1:9' })
    const sent = client.uploadFile(new Blob([CONTENT]), { ...options, retrySeconds: 0.01 })
    await expect(sent).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })
})
