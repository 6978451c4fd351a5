import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const training = import.meta.dirname
const sources = readdirSync(training, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => ({ name, text: readFileSync(join(training, name), 'utf8') }))

/** What a source imports, as places of packages/server/src: "workflows/index.js". */
const importsOf = ({ name, text }: (typeof sources)[number]) =>
  [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) =>
    relative(join(training, '..'), resolve(training, name, '..', path)),
  )

describe('training', () => {
  it('takes nothing from workflows: they ask it through its gateway', () => {
    const wrong = sources.flatMap((source) =>
      importsOf(source)
        .filter((path) => path.startsWith('workflows/'))
        .map((path) => `${source.name} imports ${path}`),
    )
    expect(wrong).toEqual([])
  })
})
