import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { commandsIn, mentionedCommands } from './shell-commands.mjs'

export const root = resolve(import.meta.dirname, '../..')

const markdownIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !/node_modules|dist\//.test(file))
    .map((file) => `${folder}/${file}`)

/** Pages that people follow; those of docs/reference are generated from what they describe. */
export const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...['docs', 'examples', 'packages/cli', 'packages/workflow', 'tests/recordings']
    .flatMap(markdownIn)
    .filter((page) => !page.startsWith('docs/reference/')),
]

/** The commands that the pages show in blocks for a shell. */
export function shownCommands() {
  return pages.flatMap((page) =>
    commandsIn(readFileSync(join(root, page), 'utf8')).map((command) => ({ page, ...command })),
  )
}

/** The words of the commands that sentences of the pages mention. */
export function commandsInSentences() {
  return pages.flatMap((page) =>
    mentionedCommands(readFileSync(join(root, page), 'utf8')).map((line) => line.split(' ')),
  )
}

/** The words of a command without npx and redirections. */
export function wordsOf(words) {
  const end = words.findIndex((word) => /^\d?>/.test(word))
  return words.slice(words[0] === 'npx' ? 1 : 0, end < 0 ? undefined : end)
}

/** The name of a command in the lists of documented-commands.mjs. */
export const nameOf = (words) => wordsOf(words).join(' ')
