import { execFileSync } from 'node:child_process'
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ALLOWED, UNCHECKED } from './allowed.mjs'
import { RULES } from './rules.mjs'

const TEXT = /\.(ts|tsx|mjs|js|py|md|css|html|json|ya?ml|toml|service|sh)$/

const rules = RULES.map(({ pattern, cased, remedy, files = TEXT }) => ({
  regex: new RegExp(pattern, cased ? 'm' : 'im'),
  files,
  remedy,
}))

/** Every place in the repository that breaks a rule and is not allowed, and every allowance without a place. */
export function checkLanguage(root) {
  const used = new Set()
  const isAllowed = (path, text) => {
    const allowance = ALLOWED.find((allowed) => covers(allowed, path, text))
    if (allowance) used.add(allowance)
    return allowance !== undefined
  }
  const found = filesOf(root)
    .flatMap((path) => findIn(path, readFileSync(join(root, path), 'utf8')))
    .filter(({ path, text }) => !isAllowed(path, text))
  return { found, unused: ALLOWED.filter((allowance) => !used.has(allowance)) }
}

/** Places in the text of a file that break a rule. */
export function findIn(path, content) {
  const broken = rules.filter(({ regex, files }) => files.test(path) && regex.test(content))
  if (broken.length === 0) return []
  return content.split('\n').flatMap((text, index) =>
    broken.flatMap(({ regex, remedy }) => {
      const word = regex.exec(text)?.[0].trim()
      return word === undefined ? [] : [{ path, line: index + 1, word, text: text.trim(), remedy }]
    }),
  )
}

function filesOf(root) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  })
  return listed
    .split('\0')
    .filter((path) => TEXT.test(path) && !UNCHECKED.some((unchecked) => unchecked.path.test(path)))
    .filter((path) => lstatSync(join(root, path), { throwIfNoEntry: false })?.isFile())
}

const covers = (allowed, path, text) =>
  (allowed.path.endsWith('/') ? path.startsWith(allowed.path) : path === allowed.path) &&
  text.includes(allowed.text)
