import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const FOLDER = resolve(import.meta.dirname, '../../docs/decisions')
const START = /^# \d{4} .+\n\n\*\*Question\.\*\* .+\\\n\*\*Answer\.\*\* .+\\\n\*\*Why\.\*\* .+\n/

it.each(readdirSync(FOLDER).filter((name) => /^\d{4}-/.test(name)))(
  '%s begins with its question, its answer and the reason, a line each',
  (name) => expect(readFileSync(join(FOLDER, name), 'utf8')).toMatch(START),
)
