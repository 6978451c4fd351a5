import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readChanges, sectionOf, withSection } from './changes.mjs'

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/

/**
 * Prepares a release in the working tree of a clone: CHANGELOG.md, the version, and the files generated from it.
 *
 * `testUpgrade`: throws if a data folder of an earlier release does not open. `generate`: writes the generated files. Throws before
 * anything is written if the tree has changes, the version is not a later one, no change is noted, or the test of the upgrade fails.
 */
export function prepareRelease({ root, version, testUpgrade, generate }) {
  const manifest = readJson(root, 'package.json')
  if (!isLater(version, manifest.version))
    throw new Error(
      `"${version}" is not a version after ${manifest.version}. Name one such as ${nextMinor(manifest.version)}.`,
    )
  const uncommitted = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
  if (uncommitted)
    throw new Error(`The working tree has changes; commit or remove them first:\n${uncommitted}`)
  const changes = readChanges(join(root, 'changes'))
  if (changes.length === 0) throw new Error('changes/ contains no change since the last release.')
  testUpgrade()

  const changelog = join(root, 'CHANGELOG.md')
  writeFileSync(changelog, withSection(readFileSync(changelog, 'utf8'), sectionOf(version, changes)))
  for (const { name } of changes) rmSync(join(root, 'changes', name))
  writeJson(root, 'package.json', { ...manifest, version })
  const lock = readJson(root, 'package-lock.json')
  lock.packages[''].version = version
  writeJson(root, 'package-lock.json', { ...lock, version })
  generate()
}

function isLater(version, than) {
  const [next, current] = [version, than].map((text) => VERSION.exec(text)?.slice(1).map(Number))
  if (!next) return false
  const differing = next.findIndex((part, index) => part !== current[index])
  return differing >= 0 && next[differing] > current[differing]
}

const nextMinor = (version) =>
  version.replace(VERSION, (_, major, minor) => `${major}.${Number(minor) + 1}.0`)
const readJson = (root, path) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const writeJson = (root, path, value) =>
  writeFileSync(join(root, path), `${JSON.stringify(value, null, 2)}\n`)
