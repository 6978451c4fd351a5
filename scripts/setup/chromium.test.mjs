import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findChromium } from './chromium.mjs'

const folder = mkdtempSync(join(tmpdir(), 'medloom-chromium-'))
for (const name of ['chromium', 'own-browser']) {
  writeFileSync(join(folder, name), '#!/bin/sh\n')
  chmodSync(join(folder, name), 0o755)
}

it('Chromium is the one that CHROMIUM_PATH names, or none', () => {
  const own = join(folder, 'own-browser')
  expect(findChromium({ CHROMIUM_PATH: own, PATH: folder })).toBe(own)
  expect(findChromium({ CHROMIUM_PATH: join(folder, 'nothing'), PATH: folder })).toBeNull()
})

it('else one on the PATH', () => {
  expect(findChromium({ PATH: `/no/such/folder:${folder}` })).toBe(join(folder, 'chromium'))
  expect(findChromium({ PATH: '/no/such/folder' }, 'aix')).toBeNull()
})
