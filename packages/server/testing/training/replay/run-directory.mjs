// Writes into the run directory like the trainer: complete files, and nothing once a newer attempt has begun.
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readSpec } from './order.mjs'

export class RunWriter {
  #spec
  #order

  constructor(order, spec) {
    this.#order = order
    this.#spec = spec
  }

  path = (name) => join(this.#spec.run_dir, name)

  appendEvents(text) {
    appendFileSync(this.path(`events.${this.#spec.attempt}.jsonl`), text)
  }

  event(event) {
    this.appendEvents(`${JSON.stringify(this.stamped(event))}\n`)
  }

  stamped(event) {
    return { ...event, timestamp: new Date().toISOString(), attempt: this.#spec.attempt }
  }

  /** Replace a file of the run directory. */
  write(name, content) {
    // On a machine that counts as lost, it may still run while a newer attempt does.
    if (readSpec(this.#order).attempt > this.#spec.attempt) process.exit(1)
    const path = this.path(name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(`${path}.${this.#spec.attempt}.tmp`, content)
    renameSync(`${path}.${this.#spec.attempt}.tmp`, path)
  }

  writeJson(name, value) {
    this.write(name, JSON.stringify(value))
  }

  /** parts: contents by the name of the part; files carry their digest in their name. */
  checkpoint(name, { epoch, metrics, parts }) {
    const files = Object.fromEntries(
      parts.map(({ part, extension, content }) => {
        const sha256 = createHash('sha256').update(content).digest('hex')
        const file = `${part}.${sha256.slice(0, 16)}.${extension}`
        this.write(`checkpoints/${name}/${file}`, content)
        return [part, { file, sha256, size_bytes: content.length }]
      }),
    )
    const { job_id, attempt } = this.#spec
    const created_at = new Date().toISOString()
    this.writeJson(`checkpoints/${name}/checkpoint.json`, {
      ...{ schema_version: 1, job_id, attempt, epoch, created_at, metrics, files },
    })
  }

  /** The request of the service, such as "stop"; null without one. */
  request() {
    const control = this.path(`control.${this.#spec.attempt}.json`)
    return existsSync(control) ? JSON.parse(readFileSync(control, 'utf8')).request : null
  }
}
