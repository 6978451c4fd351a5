// The graph of imports of TypeScript and JavaScript: { file: [files that it imports] }. Packages resolve to their sources, as in tests.
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const SCRIPT = /\.(ts|tsx|mjs|js)$/
// Types have no effect when tests run; "tsc" checks them.
const TYPE_IMPORT = /^(?:import|export) type [^'"]*from ['"][^'"]*['"]/gm
// Any string that can be a path counts: imports, dynamic imports, workers and files next to the module.
const RELATIVE = /(['"`])(\.{1,2}\/[^'"`\n$]+)\1/g
const PACKAGE = /['"](@medloom\/[a-z]+(?:\/[\w.-]+)*)['"]/g

/** The graph of the given files, as paths from the root. */
export function scriptGraph(root, files, read = (file) => readFileSync(join(root, file), 'utf8')) {
  const known = new Set(files)
  const packages = packageEntries(files, read)
  const importsOf = (file) => {
    const text = read(file).replaceAll(TYPE_IMPORT, '')
    const relative = [...text.matchAll(RELATIVE)].map(([, , path]) => posix.join(posix.dirname(file), path))
    const named = [...text.matchAll(PACKAGE)].flatMap(([, name]) => packages.get(name) ?? [])
    return [...new Set([...relative.flatMap((path) => resolved(path, known)), ...named])]
  }
  return Object.fromEntries(files.filter((file) => SCRIPT.test(file)).map((file) => [file, importsOf(file)]))
}

/** "./a.js" is written for a.ts or a.tsx. */
function resolved(path, known) {
  const candidates = [path, path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')]
  return candidates.filter((candidate) => known.has(candidate)).slice(0, 1)
}

/** "@medloom/client/node" → packages/client/src/node.ts, from the exports of each package.json. */
function packageEntries(files, read) {
  const entries = new Map()
  for (const file of files.filter((name) => /^packages\/[^/]+\/package\.json$/.test(name))) {
    const { name, exports = {} } = JSON.parse(read(file))
    for (const [path, target] of Object.entries(exports)) {
      const source = typeof target === 'string' ? target : target['medloom-source']
      entries.set(posix.join(name, path), posix.join(posix.dirname(file), source))
    }
  }
  return entries
}
