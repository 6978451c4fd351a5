import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { cliPages } from '../packages/cli/scripts/pages.js'
import { clientPage } from '../packages/client/scripts/client-page.js'
import { clientMethods } from '../packages/contracts/scripts/client-methods.js'
import { builtFiles, generatedFiles } from '../packages/contracts/scripts/files.js'
import { publishedSetsPage } from './documents/published-sets.js'

// npm run generate: writes every generated file. --check: fails if a committed one is stale. --built: writes only those that are not
// committed, as a build does.
const root = resolve(import.meta.dirname, '..')

write(builtFiles())
if (!process.argv.includes('--built')) {
  const committed = {
    ...generatedFiles(),
    ...cliPages(),
    'docs/reference/client.md': clientPage(clientMethods()),
    'docs/guides/published-sets.md': publishedSetsPage(),
  }
  if (process.argv.includes('--check')) check(committed)
  else write(committed)
}

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of changed(files)) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

function check(files: Readonly<Record<string, string>>): void {
  const stale = changed(files).map(([path]) => relative(root, path))
  if (stale.length === 0) return
  console.error(`Stale generated files; run "npm run generate":\n  ${stale.join('\n  ')}`)
  process.exitCode = 1
}

/** Files whose text on the disk is another one, by their absolute path. */
function changed(files: Readonly<Record<string, string>>): [path: string, text: string][] {
  return Object.entries(files)
    .map(([path, text]): [string, string] => [resolve(root, path), text])
    .filter(([path, text]) => read(path) !== text)
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
