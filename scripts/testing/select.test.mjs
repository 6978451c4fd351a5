import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { filesMarkedFull, selectFiles, suiteOf } from './select.mjs'

const root = mkdtempSync(join(tmpdir(), 'medloom-select-'))
function write(file, text = '') {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}
write('packages/server/src/a.test.ts', "it('x', { tags: ['full'] }, () => {})")
write('packages/server/src/a.ts')
write('packages/server/src/b.cluster.test.ts')
write('packages/server/dist/a.test.ts')
write('scripts/c.test.mjs')
write('bench/e.test.ts')
write('tests/cluster/ray.test.ts', '/** @module-tag full */')
write('tests/e2e/d.test.ts')
write('trainer/tests/data/test_e.py', '@pytest.mark.full')
write('trainer/tests/data/helper.py')

it.each([
  ['packages/server/src/a.test.ts', 'packages'],
  ['packages/web/src/a/b.test.tsx', 'packages'],
  ['packages/server/testing/eventually.test.ts', 'packages'],
  ['packages/server/src/b.cluster.test.ts', 'cluster'],
  ['scripts/testing/plan.test.mjs', 'packages'],
  ['bench/growth.test.ts', 'packages'],
  ['tests/cluster/ray-training.test.ts', 'cluster'],
  ['tests/page/shell.test.ts', 'page'],
  ['tests/specification/4-endpoints.test.ts', 'service'],
  ['tests/e2e/cli.test.ts', 'service'],
  ['trainer/tests/data/test_prepare.py', 'trainer'],
  ['trainer/tests/conftest.py', undefined],
  ['packages/server/src/settings.ts', undefined],
  ['tests/soak/cluster.ts', undefined],
])('%s belongs to %s', (file, suite) => {
  expect(suiteOf(file)).toBe(suite)
})

it('files and folders, by suite', () => {
  expect(selectFiles(root, ['packages/server', 'tests/e2e/d.test.ts'])).toEqual({
    packages: ['packages/server/src/a.test.ts'],
    service: ['tests/e2e/d.test.ts'],
  })
})

it('tests with a cluster, if they are named', () => {
  expect(selectFiles(root, ['tests/cluster', 'packages/server/src/b.cluster.test.ts'])).toEqual({
    cluster: ['tests/cluster/ray.test.ts', 'packages/server/src/b.cluster.test.ts'],
  })
})

it('a test of pytest by its name, from another folder', () => {
  expect(selectFiles(root, ['tests/data/test_e.py::test_x'], join(root, 'trainer'))).toEqual({
    trainer: ['trainer/tests/data/test_e.py::test_x'],
  })
})

it.each([
  ['packages/none.test.ts', 'does not exist'],
  ['packages/server/src/a.ts', 'is not a test'],
  ['packages/server/dist', 'contains no tests'],
])('%s: %s', (name, message) => {
  const folder = name.endsWith('dist') ? 'trainer/none' : name
  if (folder !== name) mkdirSync(join(root, folder), { recursive: true })
  expect(() => selectFiles(root, [folder])).toThrow(message)
})

it('finds the files with tests marked full', () => {
  expect(filesMarkedFull(root)).toEqual({
    packages: ['packages/server/src/a.test.ts'],
    cluster: ['tests/cluster/ray.test.ts'],
    trainer: ['trainer/tests/data/test_e.py'],
  })
})
