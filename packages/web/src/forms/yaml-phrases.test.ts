import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { PHRASES } from './yaml-phrases'

const require = createRequire(import.meta.url)
/** Packages of the editor that contain phrases; folding is not used. */
const PACKAGES = ['view', 'commands', 'lint']

it('every phrase that the YAML editor says itself is among the words of the page', () => {
  const said = PACKAGES.flatMap((name) =>
    [...readFileSync(require.resolve(`@codemirror/${name}`), 'utf8').matchAll(/phrase\("([^"]+)"/g)].map(
      ([, phrase]) => phrase,
    ),
  )
  expect(said.length).toBeGreaterThan(3)
  expect([...new Set(said)].sort()).toEqual(Object.keys(PHRASES).sort())
})
