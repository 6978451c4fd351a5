// The order of the replay trainer, passed like to the real trainer: prewarmed by a service, or with the spec as its argument.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** @returns the path of spec.json; undefined when there is nothing to do. */
export async function orderOf(argv) {
  if (argv.includes('train')) return argv.at(-1)
  const reply = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)
  reply({ type: 'ready' })
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line)
    // Node.js cannot fork, so this process takes the single job itself.
    if (request.type === 'fork') reply({ type: 'forked', pid: process.pid })
    else return request.spec
  }
  return undefined
}

export const readSpec = (order) => JSON.parse(readFileSync(order, 'utf8'))
