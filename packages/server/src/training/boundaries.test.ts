import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const training = import.meta.dirname
const sources = readdirSync(training, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => ({ name, text: readFileSync(join(training, name), 'utf8') }))

/** Imports of a source file, as paths within packages/server/src: "workflows/index.js". */
const importsOf = ({ name, text }: (typeof sources)[number]) =>
  [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) =>
    relative(join(training, '..'), resolve(training, name, '..', path)),
  )

describe('training', () => {
  it('imports nothing from workflows, which use it through its gateway', () => {
    const wrong = sources.flatMap((source) =>
      importsOf(source)
        .filter((path) => path.startsWith('workflows/'))
        .map((path) => `${source.name} imports ${path}`),
    )
    expect(wrong).toEqual([])
  })

  it('uses trainers and runs only through their interfaces, without processes or file locations', () => {
    const wrong = sources.flatMap((source) => [
      ...importsOf(source)
        .filter((path) => path.startsWith('launchers/'))
        .map((path) => `${source.name} imports ${path}`),
      ...importsOf(source)
        .filter((path) => path === 'storage/run-directory.js')
        .map((path) => `${source.name} imports ${path}`),
      ...[
        ...source.text.matchAll(
          /node:(fs|path|child_process|os)\b|\bpid\b|process\.kill|\.run_dir\b|folder\.run\(/g,
        ),
      ].map(([what]) => `${source.name} says ${what}`),
    ])
    expect(wrong).toEqual([])
  })
})
