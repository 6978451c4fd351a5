import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

let count = 0

/**
 * A small program that implements the worker's protocol in place of Python, with the behavior that tests of the service's side need: it
 * crashes, stays silent, or sends invalid answers. `answer` is the body of a function of `request` and `reply`.
 */
export function workerProgram(folder: string, answer: string): string {
  const path = join(folder, `worker-${++count}`)
  writeFileSync(
    path,
    `#!${process.execPath}
const fs = require('node:fs')
const reply = (message) => process.stdout.write(JSON.stringify(message) + '\\n')
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line)
  ${answer}
})
`,
  )
  chmodSync(path, 0o755)
  return path
}
