import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const FOLDERS = ['bench', 'docs', 'examples', 'packages', 'scripts', 'tests', 'trainer']
const NOT_OURS = new Set([
  'node_modules',
  'dist',
  'bundle',
  '.venv',
  '__pycache__',
  '.pytest_cache',
  '.hypothesis',
])

/** Every file and folder of the repository that is not installed or built, as paths from its root. */
function* entries(folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`
    if (NOT_OURS.has(entry.name)) continue
    yield path
    if (entry.isDirectory()) yield* entries(path)
  }
}

const paths = FOLDERS.flatMap((folder) => [folder, ...entries(folder)])
const known = new Set(paths)
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...paths.filter((path) => path.endsWith('.md') && !path.startsWith('trainer/tests')),
]
const text = (page) => readFileSync(join(root, page), 'utf8')

/** The anchor that a heading gets on the usual hosts. */
const anchor = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

const withoutCode = (markdown) => markdown.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '')

function brokenLinks(page) {
  const links = [...withoutCode(text(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target)
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [path, fragment] = link.split('#')
    const target = path === '' ? page : relative(root, join(root, dirname(page), path))
    if (!existsSync(join(root, target))) return true
    if (fragment === undefined) return false
    const headings = [...text(target).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchor(heading))
    return !headings.includes(fragment)
  })
}

/** "a/{b,c}/*.ts" → the paths that it matches. */
function expand(pattern) {
  const [, before, choices, after] = /^(.*?)\{([^}]*)\}(.*)$/.exec(pattern) ?? []
  if (choices === undefined) return [pattern]
  return choices.split(',').flatMap((choice) => expand(`${before}${choice}${after}`))
}

function exists(path) {
  if (!path.includes('*')) return known.has(path)
  const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\*+/g, '[^/]*')}$`)
  return paths.some((candidate) => pattern.test(candidate))
}

/** Paths of the repository that a page mentions, in prose and in code, and that do not exist. */
function missingPaths(page) {
  const mention = new RegExp(`(?<![\\w./@<>-])(?:${FOLDERS.join('|')})/[\\w./*{},-]+`, 'g')
  return [...text(page).matchAll(mention)]
    .map(([path]) => path.replace(/[.,]+$/, '').replace(/\/$/, ''))
    .filter((path) => !expand(path).every(exists))
}

const names = new Set(paths.map((path) => basename(path)))

/** Files of code that a page mentions only by their name, and that do not exist anywhere. */
function missingFiles(page) {
  const mentions = [...text(page).matchAll(/`([\w./-]+\.(?:ts|mjs|py))`/g)].map(([, path]) => path)
  return mentions.filter((path) => !names.has(basename(path)))
}

/** Introduction of a table of docs/architecture.md → folder that the table describes. */
const MAPS = {
  '## Packages': 'packages',
  'Folders of `packages/server/src`:': 'packages/server/src',
  'Folders of `packages/web/src`:': 'packages/web/src',
  'Folders of `trainer/src/medloom_trainer`:': 'trainer/src/medloom_trainer',
}

/** Folders in the first column of the table that follows a line of a page. */
function foldersInTable(page, line) {
  const [, after = ''] = text(page).split(`\n${line}\n`)
  const table = /(?:^\|.*\n)+/m.exec(after)?.[0] ?? ''
  return [...table.matchAll(/^\| `([\w-]+)\/`/gm)].map(([, folder]) => folder).sort()
}

const foldersOf = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !NOT_OURS.has(entry.name))
    .map(({ name }) => name)
    .sort()

describe('the documents', () => {
  it.each(pages)('%s: every link leads to a page and a heading that exist', (page) => {
    expect(brokenLinks(page)).toEqual([])
  })

  it.each(pages)('%s: every path and file of the repository that it mentions exists', (page) => {
    expect([...missingPaths(page), ...missingFiles(page)]).toEqual([])
  })

  it('package.json: every program that a command starts exists, and git keeps it', () => {
    const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '.'], {
      cwd: root,
      encoding: 'utf8',
    }).split('\n')
    const { scripts } = JSON.parse(text('package.json'))
    const programs = Object.values(scripts).flatMap((command) => command.match(/\b[a-z]+\/[\w./-]+/g) ?? [])
    expect(programs.length).toBeGreaterThan(10)
    const isTracked = (path) => tracked.some((file) => file === path || file.startsWith(`${path}/`))
    expect(programs.filter((path) => !isTracked(path))).toEqual([])
  })

  it('are all listed in docs/index.md', () => {
    const links = [...text('docs/index.md').matchAll(/\]\(([^)#\s]+)\)/g)].map(([, target]) =>
      relative(root, join(root, 'docs', target)),
    )
    const expected = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/index.md')
    expect(expected.filter((page) => !links.includes(page))).toEqual([])
  })

  it.each(Object.entries(MAPS))('map every folder of the code: %s', (line, folder) => {
    expect(foldersInTable('docs/architecture.md', line)).toEqual(foldersOf(folder))
  })

  it('would notice a path, a link and a heading that do not exist', () => {
    expect(exists('packages/cli/src/nowhere.ts')).toBe(false)
    expect(expand('a/{b,c}')).toEqual(['a/b', 'a/c'])
    expect(anchor('Exit status')).toBe('exit-status')
  })
})
