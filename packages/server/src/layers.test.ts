import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'

/**
 * Floors of the server, the lowest first; a folder imports only from its own floor and from lower ones. The files next to the folders start
 * and connect the service, and belong to the top, except those that are listed.
 */
const FLOORS: Readonly<Record<string, readonly string[]>> = {
  ground: [
    ...['http', 'database', 'storage', 'security', 'concurrency', 'live', 'ports'],
    ...[
      'child-environment',
      'context',
      'durations',
      'errors',
      'log',
      'repository',
      'service-flags',
      'settings',
      'system-fault',
      'version',
    ],
  ],
  domains: [
    ...['datasets', 'evaluations', 'files', 'models', 'moved-roots', 'overview', 'page', 'people', 'removal'],
    ...['follow-ups', 'predictions', 'reports', 'studies', 'system', 'tasks', 'training', 'workflows'],
  ],
  top: ['launchers', 'worker', 'processes'],
}

const root = import.meta.dirname

const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
)

/** Folder of a source file, or its name if it is next to the folders. */
function partOf(file: string): string {
  const [first = '', ...below] = file.split('/')
  return below.length > 0 ? first : first.replace(/\.ts$/, '')
}

/** Index of the floor; files that are not listed are at the top. */
function floorOf(part: string): number {
  const found = Object.values(FLOORS).findIndex((parts) => parts.includes(part))
  return found < 0 ? Object.keys(FLOORS).indexOf('top') : found
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) =>
    relative(root, resolve(root, dirname(file), path)).replace(/\.js$/, '.ts'),
  )
}

it('every folder of the server has a floor', () => {
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const listed = Object.values(FLOORS).flat()
  expect(folders.map(({ name }) => name).filter((name) => !listed.includes(name))).toEqual([])
})

it('no floor of the server imports from a higher one', () => {
  const up = sources.flatMap((file) =>
    importsOf(file)
      .filter((target) => !target.startsWith('..') && floorOf(partOf(target)) > floorOf(partOf(file)))
      .map((target) => `${file} imports ${target}`),
  )
  expect(up).toEqual([])
})

/** Pairs of folders that import each other. The list only shrinks. */
const MUTUAL = ['evaluations ↔ models', 'follow-ups ↔ models', 'models ↔ studies', 'models ↔ training']

it('no other two folders of the server import each other', () => {
  const pairs = new Set(
    sources.flatMap((file) =>
      importsOf(file)
        .filter((target) => target.includes('/') && file.includes('/') && !target.startsWith('..'))
        .map((target) => `${partOf(file)} ${partOf(target)}`),
    ),
  )
  const mutual = [...pairs].filter((pair) => {
    const [from = '', to = ''] = pair.split(' ')
    return from < to && pairs.has(`${to} ${from}`)
  })
  expect(mutual.map((pair) => pair.replace(' ', ' ↔ ')).sort()).toEqual(MUTUAL)
})
