import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { MOST_WORDS, wordsOf } from './changes.mjs'

it('the newest release has one short sentence for each change', () => {
  const changelog = readFileSync(resolve(import.meta.dirname, '../../CHANGELOG.md'), 'utf8')
  const [, newest = ''] = changelog.split(/^## /m)
  const changes = newest.split('\n').filter((line) => line.startsWith('- '))
  expect(changes).not.toEqual([])
  expect(changes.filter((line) => wordsOf(line.slice(2)) > MOST_WORDS)).toEqual([])
})
