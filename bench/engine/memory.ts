import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Blob } from '@medloom/contracts'
import { Flights, MemoryCache, runWorkflow, Tokens, type Value, validate } from '@medloom/workflow'
import { ArtifactStore } from '../../packages/server/src/workflows/cache/artifact-store.js'
import { digestOf } from '../../packages/server/src/workflows/executors/index.js'
import { clock } from './clock.js'
import { misses } from './figures.js'
import { chain, PASS } from './shapes.js'

const FILES = 20
const FILE_BYTES = 256 * 1024 * 1024
/** Less than one of the files: not even a single one is ever held. */
const LIMIT_MB = 250

/**
 * 5 GB pass between nodes: each node opens what the one before made (its content is compared with its name) and has another
 * process make a file of 256 MB, which goes into the artifact store of the service. The memory of this process must stay flat.
 */
export async function memoryOfService(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-memory-'))
  const store = new ArtifactStore(join(folder, 'store'))
  mkdirSync(store.folder)
  const resident = () => process.memoryUsage().rss / 1e6
  let before = 0
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, resident())
  }, 20)
  const make = async (number: number): Promise<Blob> => {
    const file = join(folder, `file-${number}`)
    await writeElsewhere(file, number)
    const blob = await store.putFile(file, '.bin')
    rmSync(file)
    return blob
  }
  const value = (type: Value['type'], content: unknown): Value => ({
    type,
    digest: digestOf(content),
    summary: '',
    content,
  })
  let passed = 0
  try {
    const { status } = await runWorkflow({
      workflow: 'bench',
      validated: validate(chain(FILES + 1)),
      clock,
      cache: new MemoryCache({ clock }),
      flights: new Flights(),
      tokens: new Tokens({ cpu: 1, gpu: 1, io: 1 }),
      sourceDigest: () => 'content',
      executors: {
        LoadDataset: async () => {
          const first = await make(0)
          before = resident()
          return { dataset: value('dataset', first), metadata: value('config', {}) }
        },
        [PASS]: async ({ node, inputs }) => {
          const arrived = inputs.images?.[0]?.value.content as Blob
          await store.open(arrived)
          passed += arrived.size_bytes
          const made = await make(Number(node.slice(1)))
          rmSync(store.path(arrived))
          return { processed_images: value('image', made) }
        },
      },
    })
    if (status !== 'success') throw new Error(`the run ended with ${status}`)
  } finally {
    clearInterval(watch)
    rmSync(folder, { recursive: true, force: true })
  }
  const grown = Math.max(0, most - before)
  const held = grown < LIMIT_MB
  if (!held) misses.push('memory')
  console.log(
    `${`memory while ${(passed / 1e9).toFixed(1)} GB pass between ${FILES} nodes`.padEnd(58)} ${`+${grown.toFixed(0)}`.padStart(9)} MB   limit ${LIMIT_MB} MB   ${held ? 'held' : 'MISSED'} (from ${before.toFixed(0)} MB)`,
  )
}

/** A file that differs by its number, written by a process of its own, as a worker writes its results. */
async function writeElsewhere(file: string, number: number): Promise<void> {
  const program = `
    const { openSync, writeSync, closeSync } = require('node:fs')
    const block = Buffer.alloc(4 * 1024 * 1024, ${number + 1})
    const file = openSync(process.argv[1], 'w')
    for (let written = 0; written < ${FILE_BYTES}; written += block.length) writeSync(file, block)
    closeSync(file)`
  const child = spawn(process.execPath, ['-e', program, file], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error('the file could not be written')
}
