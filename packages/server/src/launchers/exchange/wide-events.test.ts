import { createHash, randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { EventReference, runPath } from '@medloom/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseEvent } from '../../ports/event-line.js'
import type { RunExchange } from '../../ports/run-exchange.js'
import { RunDirectory } from '../../storage/run-directory.js'
import { fileExchanges } from './file-exchange.js'
import { CHUNK_BYTES, runFiles } from './reading/reading-thread.js'

let folder: string
let run: string
let exchange: RunExchange
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medloom-wide-'))
  const jobId = randomUUID()
  run = join(folder, jobId)
  mkdirSync(run)
  const places = { run: (id: string) => new RunDirectory(join(folder, id)), cache: join(folder, 'cache') }
  exchange = fileExchanges({ folder: places, roots: [] })(jobId)
})
afterEach(() => rmSync(folder, { recursive: true }))

const timestamp = '2026-01-02T03:04:05.000Z'
const line = (type: string, rest: object) => JSON.stringify({ type, timestamp, attempt: 1, ...rest })
const phase = line('phase', { phase: 'training', epoch: 1 })
const end = line('error', { epoch: 1, code: 'DISK_FULL', message: '', details: '', trace: null })
/** More columns than fit into a mebibyte. */
const columns = Array.from({ length: 60_000 }, (_, number) => `radiomics_feature_${number}`)
const COUNTS = { cases: 1, patients: null, class_counts: null }
const wide = line('prepared', {
  prepared: {
    task: 'classification',
    classes: ['no', 'yes'],
    label_column: 'label',
    patient_column: null,
    split_column: null,
    image_columns: [],
    numeric_columns: columns,
    categorical_columns: [],
    ignored_columns: {},
    splits: { train: COUNTS },
    parameters: 1,
    trainable_parameters: 1,
    device: 'cpu',
    mixed_precision: 'off',
    monitor: 'val_auc',
    warnings: [],
    data_digests: {},
  },
})

const write = (lines: readonly string[]) =>
  appendFileSync(join(run, 'events.1.jsonl'), lines.map((text) => `${text}\n`).join(''))

async function events() {
  const found = []
  for (let offset = 0; ; ) {
    const chunk = await exchange.events(1, offset)
    if (!chunk) return found
    found.push(...chunk.lines.map((text) => parseEvent(text)))
    offset = chunk.end
  }
}

/** Writes an event into a separate file, like the trainer. */
function setAside(
  content: string,
  { stored = content, file }: { stored?: string; file?: string } = {},
): string {
  const sha256 = createHash('sha256').update(content).digest('hex')
  const name = runPath('event_payload', { attempt: 1, sha256 })
  mkdirSync(dirname(join(run, name)), { recursive: true })
  writeFileSync(join(run, name), stored)
  const payload = { file: file ?? name, sha256, size_bytes: Buffer.byteLength(content) }
  return JSON.stringify(EventReference.parse({ type: 'prepared', timestamp, attempt: 1, payload }))
}

const types = (found: Awaited<ReturnType<typeof events>>) => found.map((event) => event?.type ?? null)

describe('an event of a very wide table', () => {
  it('is read from the file that its line names, and so are the following ones', async () => {
    write([phase, setAside(wide), end])
    const found = await events()
    expect(types(found)).toEqual(['phase', 'prepared', 'error'])
    expect(found[1]).toMatchObject({ prepared: { numeric_columns: columns } })
  })

  it('is read as one line of more than a mebibyte, as earlier trainers wrote it', async () => {
    expect(wide.length).toBeGreaterThan(CHUNK_BYTES)
    write([phase, wide, end])
    const found = await events()
    expect(types(found)).toEqual(['phase', 'prepared', 'error'])
    expect(found[1]).toMatchObject({ prepared: { numeric_columns: columns } })
  })

  it('waits while its line is incomplete', async () => {
    write([phase])
    appendFileSync(join(run, 'events.1.jsonl'), wide)
    expect(types(await events())).toEqual(['phase'])
    write([''])
    expect(types(await events())).toEqual(['phase', 'prepared'])
  })

  it.each([
    ['is cut', { stored: wide.slice(0, 100) }],
    ['was changed', { stored: wide.replace('radiomics', 'RADIOMICS') }],
    ['is outside the run directory', { file: '../elsewhere.json' }],
  ])('whose file %s is a damaged line; the end of the job is read', async (_, change) => {
    writeFileSync(join(folder, 'elsewhere.json'), wide)
    write([phase, setAside(wide, change), end])
    expect(types(await events())).toEqual(['phase', null, 'error'])
  })
})

it('a line that cannot be an event is skipped in pieces, and the end of the job after it is read', async () => {
  const file = join(run, 'events.1.jsonl')
  writeFileSync(file, `${'x'.repeat(2500)}\n${end}\n`)
  const lines: string[] = []
  for (let offset = 0; ; ) {
    const chunk = await runFiles.lines(file, offset, 1000, 2000)
    if (!chunk) break
    lines.push(...chunk.lines)
    offset = chunk.end
  }
  expect(lines.map((text) => text.length)).toEqual([2000, 500, end.length])
})
