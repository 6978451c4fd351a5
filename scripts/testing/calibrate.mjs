// Current speed of this machine: the time of a fixed amount of hashing on all cores at once.
import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

const BLOCK = 1 << 20
const BLOCKS = 96
const ROUNDS = 3

/** Seconds of one loop on the machine on which the limits and budgets were set, while it was quiet. */
export const REFERENCE = 0.2

/** Seconds of one loop: the median of three rounds, each with one loop per core. */
export async function calibrate(cores = availableParallelism()) {
  const workers = Array.from({ length: cores }, () => new Worker(fileURLToPath(import.meta.url)))
  try {
    const rounds = []
    for (let round = 0; round < ROUNDS; round++) {
      const loops = await Promise.all(workers.map(timeLoop))
      rounds.push(Math.max(...loops))
    }
    return rounds.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}

function timeLoop(worker) {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.postMessage('start')
  })
}

function hash() {
  const block = Buffer.alloc(BLOCK, 7)
  const digest = createHash('sha512')
  const began = performance.now()
  for (let count = 0; count < BLOCKS; count++) digest.update(block)
  digest.digest()
  return (performance.now() - began) / 1000
}

if (!isMainThread) parentPort.on('message', () => parentPort.postMessage(hash()))
