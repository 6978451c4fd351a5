import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createContext } from '../context.js'
import { buildProgram } from '../program.js'

const ID = '3be0f1d2-7a54-4b0e-9c1d-0a1b2c3d4e5f'
const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor
let server: Server
let requests: string[]
let printed: string

beforeEach(async () => {
  requests = []
  printed = ''
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const removal = { id: ID, dry_run: request.url?.endsWith('true'), files: 3, size_bytes: 2048 }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ...removal, folders: ['/data/runs/3be0'], lost: ['the model gated_001'] }))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((piece) => {
      printed += piece
      return true
    })
})
afterEach(() => {
  vi.restoreAllMocks()
  Object.defineProperty(process, 'stdin', stdin)
  server.close()
})

const DRY = `DELETE /api/training/${ID}?dry_run=true`
const REMOVED = `DELETE /api/training/${ID}?dry_run=false`

/** A terminal at which a user answers; without an answer there is no terminal. */
function answering(answer: string | null): void {
  const input = Object.assign(new PassThrough(), { isTTY: answer !== null })
  if (answer !== null) input.write(`${answer}\n`)
  Object.defineProperty(process, 'stdin', { value: input, configurable: true })
}

function rm(...options: string[]): Promise<unknown> {
  return medloom('rm', ID, ...options)
}

function medloom(...words: string[]): Promise<unknown> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const argv = ['node', 'medloom', ...words, '--url', url]
  return buildProgram(createContext(argv.slice(2))).parseAsync(argv)
}

describe('medloom rm without --yes', () => {
  it.each(['n', 'no', '', 'yesterday'])(
    'shows the consequences and asks for confirmation: %j removes nothing',
    async (answer) => {
      answering(answer)
      await rm()
      expect(requests).toEqual([DRY])
      expect(printed).toContain('the model gated_001')
      expect(printed).toContain(`Remove the job ${ID}? [y/N]`)
      expect(printed).not.toContain('removed')
    },
  )

  it.each(['y', 'yes', 'YES'])('%j removes it', async (answer) => {
    answering(answer)
    await rm()
    expect(requests).toEqual([DRY, REMOVED])
    expect(printed).toContain(`removed ${ID}, 2`)
  })

  it('refuses without a terminal, and shows the remedy', async () => {
    answering(null)
    await expect(rm()).rejects.toMatchObject({ remedy: expect.stringContaining('--yes'), exitCode: 2 })
    expect(requests).toEqual([DRY])
  })
})

it('with --yes requests no confirmation, with or without a terminal', async () => {
  answering(null)
  await rm('--yes')
  expect(requests).toEqual([REMOVED])
})

it('with --dry-run nothing is removed', async () => {
  answering('yes')
  await rm('--dry-run', '--yes')
  expect(requests).toEqual([DRY])
})

it('with an alias removes the model that was shown', async () => {
  answering('y')
  await medloom('models', 'rm', 'newest')
  expect(requests).toEqual([
    'DELETE /api/models/newest?dry_run=true',
    `DELETE /api/models/${ID}?dry_run=false`,
  ])
})
