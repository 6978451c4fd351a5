import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createContext } from '../../context.js'
import { buildProgram } from '../../program.js'

const requests: (string | undefined)[] = []
const server = createServer((request, response) => {
  requests.push(request.url)
  response.setHeader('content-type', 'text/markdown; charset=utf-8')
  response.end(`# Card of ${request.url}`)
})
beforeAll(async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
})
afterAll(() => {
  vi.restoreAllMocks()
  server.close()
})

function medloom(...words: string[]): Promise<unknown> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const argv = ['node', 'medloom', ...words, '--url', url]
  return buildProgram(createContext(argv.slice(2))).parseAsync(argv)
}

it('models card saves the requested form, by default that of Hugging Face, and never over another file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-card-'))
  const [readme, chai] = [join(folder, 'README.md'), join(folder, 'chai.md')]
  await medloom('models', 'card', 'champion', '--output', readme)
  await medloom('models', 'card', 'champion', '--format', 'chai', '--output', chai)
  const paths = ['huggingface', 'chai'].map((format) => `/api/models/champion/card?format=${format}`)
  expect(requests).toEqual(paths)
  expect([readme, chai].map((file) => readFileSync(file, 'utf8'))).toEqual(
    paths.map((path) => `# Card of ${path}`),
  )
  await expect(medloom('models', 'card', 'resnet18_gated_001', '--output', chai)).rejects.toThrow(
    'already exists',
  )
  expect(readFileSync(chai, 'utf8')).toBe(`# Card of ${paths[1]}`)
})
