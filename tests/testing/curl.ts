import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** The request of a `curl` command of a page, sent to the service at `url`. Files are read from `folder`. */
export async function curl(url: string, words: readonly string[], folder: string): Promise<Response> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      silent: { type: 'boolean', short: 's' },
      request: { type: 'string', short: 'X' },
      header: { type: 'string', short: 'H', multiple: true },
      data: { type: 'string', short: 'd' },
    },
  })
  const { data, header = [] } = values
  const body = data?.startsWith('@') ? readFileSync(resolve(folder, data.slice(1)), 'utf8') : data
  return fetch(url + positionals[0]?.replace(/^.*:8000/, ''), {
    method: values.request ?? (body === undefined ? 'GET' : 'POST'),
    headers: header.map((line) => line.split(': ') as [string, string]),
    ...(body !== undefined && { body }),
  })
}
