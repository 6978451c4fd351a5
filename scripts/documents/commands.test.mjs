import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressPattern, ROUTES } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { NOT_RUN, RUN } from './documented-commands.mjs'
import { commandsInSentences, nameOf, pages, root, shownCommands } from './pages.mjs'
import { commandsIn, unnamedFences } from './shell-commands.mjs'

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const text = (page) => readFileSync(join(root, page), 'utf8')

/** Program → why no test checks how a page calls it. */
const UNCHECKED = {
  ...Object.fromEntries(
    ['cp', 'mkdir', 'chmod', 'install', 'echo', 'jq', 'openssl', 'ssh', 'rsync'].map((name) => [
      name,
      'a common program of the system',
    ]),
  ),
  ...Object.fromEntries(
    ['useradd', 'runuser', 'systemctl', 'nginx'].map((name) => [
      name,
      'needs root or a server; the units and nginx.conf have tests',
    ]),
  ),
  ...Object.fromEntries(['pg_dump', 'pg_restore'].map((name) => [name, 'a program of PostgreSQL'])),
}
const NPM = new Set(['install', 'test', 'start'])

/** Null if the command exists, otherwise the problem. */
function problemOf([program, ...words]) {
  if (program === 'npx') return problemOf(words)
  if (program === 'npm') return problemOfNpm(words)
  if (program === 'curl') return problemOfCurl(words)
  if (program === 'node') return existsSync(join(root, words[0])) ? null : `${words[0]} does not exist`
  // packages/cli/src/documented-commands.test.ts parses these with the command line itself.
  if (program === 'medloom' || program === 'vitest') return null
  return Object.hasOwn(UNCHECKED, program)
    ? null
    : `no test checks "${program}", and UNCHECKED does not say why`
}

function problemOfNpm([verb, ...words]) {
  const script = verb === 'run' ? words.find((word) => !word.startsWith('-')) : verb
  const exists = Object.hasOwn(scripts, script) || (verb !== 'run' && (NPM.has(verb) || verb === 'root'))
  return exists ? null : `package.json has no script "${script}"`
}

function problemOfCurl(words) {
  const address = words.find((word) => /^(https?:\/\/)?(localhost|127\.0\.0\.1):8000\//.test(word))
  if (!address) return 'the address is not that of the service'
  const stated = words[words.indexOf('-X') + 1]
  const method = words.includes('-X') ? stated : words.includes('-d') ? 'POST' : 'GET'
  const path = address.replace(/^.*:8000/, '')
  const exists = Object.values(ROUTES).some(
    (route) => route.method === method && addressPattern(route.path).test(path),
  )
  return exists ? null : `there is no route ${method} ${path}`
}

describe('the commands of the documents', () => {
  const shown = shownCommands()

  it('are found', () => {
    const programs = new Set(shown.map(({ words }) => words[0]))
    for (const program of ['npm', 'npx', 'curl', 'node', 'medloom']) expect(programs).toContain(program)
  })

  it.each(pages)('%s: every fence names its language, so that no command is overlooked', (page) => {
    expect(unnamedFences(text(page))).toEqual([])
  })

  it.each(pages)('%s: every command exists', (page) => {
    const own = shown.filter((command) => command.page === page)
    const problems = own.flatMap(({ line, words }) => {
      const problem = problemOf(words)
      return problem === null ? [] : [`${line}: ${problem}`]
    })
    expect(problems).toEqual([])
  })

  it('that do not exist are found', () => {
    const page = [
      '```sh',
      'npm run nothing && npm test',
      'api=http://127.0.0.1:8000/api/workflow',
      "id=$(curl -s $api/create -H 'content-type: application/json' -d @first.json | jq -r .workflow_id)",
      'curl -s -X PUT $api/$id/execute   # a remark; unknown',
      'frobnicate --all',
      '```',
      '    node scripts/nowhere.mjs  a remark',
    ].join('\n')
    expect(
      commandsIn(page)
        .map(({ words }) => problemOf(words))
        .filter(Boolean),
    ).toEqual([
      'package.json has no script "nothing"',
      'there is no route PUT /api/workflow/$id/execute',
      'no test checks "frobnicate", and UNCHECKED does not say why',
      'scripts/nowhere.mjs does not exist',
    ])
  })
})

describe('every command that a page shows or mentions', () => {
  const run = new Set(Object.values(RUN).flat())
  const shown = new Set(shownCommands().map(({ words }) => nameOf(words)))
  const mentioned = new Set(commandsInSentences().map(nameOf))
  const reasonOf = (name) => NOT_RUN.find(({ pattern }) => pattern.test(name))
  /** A sentence may name the command without its arguments, or with placeholders such as FILE. */
  const isPartOfRun = (name) => {
    const start = name.replace(/ (?:[A-Z]{2,}|<).*/, '')
    return [...run].some((command) => command === name || command.startsWith(`${start} `))
  }

  it('is run by a test, or a reason is given in NOT_RUN', () => {
    const isListed = (name) => reasonOf(name) || Object.hasOwn(UNCHECKED, name.split(' ')[0])
    expect([...shown].filter((name) => !run.has(name) && !isListed(name))).toEqual([])
    expect([...mentioned].filter((name) => !isPartOfRun(name) && !isListed(name))).toEqual([])
  })

  it('that is run is documented, and has no reason not to be', () => {
    const documented = new Set([...shown, ...mentioned])
    expect([...run].filter((name) => !documented.has(name) || reasonOf(name))).toEqual([])
  })

  it('has a reason that is needed, and that names a test that exists', () => {
    const documented = [...shown, ...mentioned]
    expect(NOT_RUN.filter(({ pattern }) => !documented.some((name) => pattern.test(name)))).toEqual([])
    const tests = NOT_RUN.flatMap(({ test }) => test ?? [])
    expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})
