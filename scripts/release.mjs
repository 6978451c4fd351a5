#!/usr/bin/env node
// npm run release -- VERSION: tests that data folders of earlier releases open, moves the changes of changes/ to CHANGELOG.md, and sets
// the version, which package.json declares.
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { prepareRelease } from './release/release.mjs'

const root = resolve(import.meta.dirname, '..')
const run = (script) => execFileSync('npm', ['run', '-s', script], { cwd: root, stdio: 'inherit' })
const [version = ''] = process.argv.slice(2)
try {
  prepareRelease({
    root,
    version,
    testUpgrade: () => run('test:upgrade'),
    generate: () => run('generate'),
  })
  console.log(`${version} is prepared. Read CHANGELOG.md, then:
  npm run test:full         every check
  git commit -a -m "Release ${version}" && git tag v${version}
  npm run pack              the package to publish
Add the tagged commit to tests/upgrade/states.ts, so that later versions are tested with its data folders.`)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
