import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { cliPages } from '../packages/cli/scripts/pages.js'
import { clientPage } from '../packages/client/scripts/client-page.js'
import { clientMethods } from '../packages/contracts/scripts/client-methods.js'
import { generatedFiles } from '../packages/contracts/scripts/files.js'

// npm run generate: writes every generated file, or with --check fails if one is stale.
const root = resolve(import.meta.dirname, '..')
const FILES = {
  ...generatedFiles(),
  ...cliPages(),
  'docs/reference/client.md': clientPage(clientMethods()),
}
const stale: string[] = []
const checkOnly = process.argv.includes('--check')

for (const [path, text] of Object.entries(FILES)) {
  const target = resolve(root, path)
  if (checkOnly) {
    if (read(target) !== text) stale.push(relative(root, target))
    continue
  }
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
}

if (stale.length > 0) {
  console.error(`Stale generated files; run "npm run generate":\n  ${stale.join('\n  ')}`)
  process.exit(1)
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
