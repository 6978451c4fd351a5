import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Group of a change, as in the name of its file → heading in CHANGELOG.md, in the order of a release. */
export const GROUPS = {
  data: 'Data',
  training: 'Training',
  evaluation: 'Evaluation and statistics',
  studies: 'Studies and reports',
  workflows: 'Workflows',
  page: 'Page',
  cli: 'Command line and client',
  interface: 'Interface',
  operation: 'Operation',
  security: 'Users and security',
  upgrading: 'Upgrading',
}

export const MOST_WORDS = 25

/** The changes in a folder by the names of their files. Throws with every file that has not the form of changes/README.md. */
export function readChanges(folder) {
  const names = readdirSync(folder)
    .filter((name) => name !== 'README.md')
    .sort()
  const changes = names.map((name) => ({
    name,
    group: /^[a-z0-9-]+\.([a-z]+)\.md$/.exec(name)?.[1],
    text: readFileSync(join(folder, name), 'utf8').trim(),
  }))
  const problems = changes.flatMap((change) =>
    problemsOf(change).map((problem) => `${change.name}: ${problem}`),
  )
  if (problems.length > 0)
    throw new Error(`changes/ has files in another form than its README.md says:\n  ${problems.join('\n  ')}`)
  return changes
}

function problemsOf({ group, text }) {
  const words = wordsOf(text)
  return [
    ...(Object.hasOwn(GROUPS, group ?? '')
      ? []
      : [`the name must be SUBJECT.GROUP.md, with one of the groups ${Object.keys(GROUPS).join(', ')}`]),
    ...(/^[^-#\n].*\.$/.test(text) ? [] : ['it must contain one sentence in one line']),
    ...(words <= MOST_WORDS ? [] : [`the sentence has ${words} words; shorten it to ${MOST_WORDS}`]),
  ]
}

/** Number of words of a sentence, without the targets of its links. */
export const wordsOf = (markdown) => markdown.replaceAll(/\]\([^)]*\)/g, ']').split(/\s+/).length

/** The section of a release. */
export function sectionOf(version, changes) {
  const groups = Object.entries(GROUPS)
    .map(([group, title]) => [title, changes.filter((change) => change.group === group)])
    .filter(([, members]) => members.length > 0)
    .map(([title, members]) => `### ${title}\n\n${members.map(({ text }) => `- ${text}\n`).join('')}`)
  return `## ${version}\n\n${groups.join('\n')}`
}

/** Adds a section above the latest release. */
export function withSection(changelog, section) {
  const latest = changelog.indexOf('\n## ')
  if (latest < 0) throw new Error('CHANGELOG.md has no release')
  return `${changelog.slice(0, latest + 1)}${section}\n${changelog.slice(latest + 1)}`
}
