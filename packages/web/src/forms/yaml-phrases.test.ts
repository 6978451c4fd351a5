import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { PHRASES } from './yaml-phrases'

const require = createRequire(import.meta.url)
/** Packages of the editor that contain phrases; folding is not used. */
const PACKAGES = ['view', 'commands', 'lint']

it('every phrase that the YAML editor says itself is among the words of the page', () => {
  const phrases = PACKAGES.flatMap((name) =>
    [...readFileSync(require.resolve(`@codemirror/${name}`), 'utf8').matchAll(/phrase\("([^"]+)"/g)].map(
      ([, phrase]) => phrase,
    ),
  )
  expect(phrases.length).toBeGreaterThan(3)
  expect([...new Set(phrases)].sort()).toEqual(Object.keys(PHRASES).sort())
})
