import { readFile } from 'node:fs/promises'
import * as http from 'node:http'
import * as https from 'node:https'

/** No answer, or one that does not come from Ray: the request may or may not have had an effect. */
export class RayUnreachable extends Error {}

/** Ray refuses the request and gives a reason. */
export class RayRefusal extends Error {}

export interface RayAnswer {
  readonly status: number
  readonly text: string
}

export interface RayHttpOptions {
  /** Address of the dashboard, such as http://10.0.0.1:8265 */
  readonly address: string
  /** File with the token of the cluster; null: the cluster requires none. It is read for each request, so that it can be replaced. */
  readonly tokenFile: string | null
  /** Maximum response time; for tests. */
  readonly answerMilliseconds?: number | undefined
}

const MAX_SOCKETS = 8
const MAX_BYTES = 32 * 1024 * 1024

/** Requests to the dashboard. It refuses requests of browsers, and treats those of the global fetch as such. */
export class RayHttp {
  readonly #client: typeof http | typeof https
  readonly #agent: http.Agent

  constructor(readonly options: RayHttpOptions) {
    this.#client = options.address.startsWith('https:') ? https : http
    this.#agent = new this.#client.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS })
  }

  /** @throws RayUnreachable when there is no answer in time, or the token is not that of the cluster. */
  async request(method: 'GET' | 'POST', path: string, patience: number, body?: object): Promise<RayAnswer> {
    const milliseconds = this.options.answerMilliseconds ?? patience
    const headers = {
      ...(await this.#authorization()),
      ...(body ? { 'content-type': 'application/json' } : {}),
    }
    const answer = await this.#send(method, path, milliseconds, headers, body).catch((error: Error) => {
      throw new RayUnreachable(`${this.options.address} does not respond: ${error.message}`)
    })
    if (answer.status === 401 || answer.status === 403)
      throw new RayUnreachable(`${this.options.address} rejects the token`)
    return answer
  }

  close(): void {
    this.#agent.destroy()
  }

  async #authorization(): Promise<Record<string, string>> {
    const { tokenFile } = this.options
    if (tokenFile === null) return {}
    const token = await readFile(tokenFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new RayUnreachable(`the token in ${tokenFile} cannot be read: ${error.code}`)
    })
    return { authorization: `Bearer ${token.trim()}` }
  }

  #send(
    method: string,
    path: string,
    milliseconds: number,
    headers: Record<string, string>,
    body: object | undefined,
  ): Promise<RayAnswer> {
    const signal = AbortSignal.timeout(milliseconds)
    return new Promise((done, fail) => {
      const failed = (error: Error) =>
        fail(signal.aborted ? new Error(`no response for ${milliseconds / 1000} s`) : error)
      const request = this.#client.request(
        new URL(path, this.options.address),
        { method, headers, agent: this.#agent, signal },
        (response) => {
          const chunks: Buffer[] = []
          let size = 0
          response.on('error', failed)
          response.on('data', (chunk: Buffer) => {
            size += chunk.length
            if (size > MAX_BYTES) request.destroy(new Error(`the response exceeds ${MAX_BYTES} bytes`))
            chunks.push(chunk)
          })
          response.on('end', () =>
            done({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
          )
        },
      )
      request.on('error', failed)
      request.end(body && JSON.stringify(body))
    })
  }
}
