import { expect, it } from 'vitest'
import { findIn } from './find.mjs'

const wordsIn = (text, path = 'a.ts') => findIn(path, text).map(({ word }) => word)

it.each([
  ['// Of the jobs, those that wait', '// Of'],
  ['  /** What it takes of the machine. */', '/** What'],
  ['    """Whose values are masked."""', '"""Whose'],
  ['# Why a job waits', '# Why'],
  ['// The header says how long', '// The header says'],
  ['/** Watchers are told. */', '/** Watchers are told'],
  ['  // So that others can start', '// So that'],
  ['  /** Those of the jobs that wait. */', '/** Those of'],
  ["  .meta({ description: 'Of the dataset' })", "description: 'Of t"],
  ['"abc" is no number', 'is no n'],
  ['the row becomes no case', 'becomes no c'],
  ['a time that is none', 'is none'],
  ['Data sets', 'Data sets'],
  ['two models are not told apart', 'told apart'],
  ['can tell both apart', 'tell both apart'],
  ['as many jobs as may', 'as many jobs as may'],
  ['divided anew', 'anew'],
  ['the class that sensitivity speaks of', 'speaks of'],
  ['nodes from afar', 'from afar'],
  ['const backgroundColour = 1', 'Colour'],
  ['One centre', 'centre'],
  ['unlabelled cases', 'labelled'],
  ['a grey image', 'grey'],
  ['the nearest neighbours', 'neighbour'],
  ['attacks and defences', 'defence'],
  ['each judgement', 'judgement'],
  ['normalised values', 'normalised'],
  ['to analyse', 'analyse'],
  ['a sub-folder', 'sub-folder'],
  ['these test data have', 'test data have'],
])('refuses %j', (text, word) => expect(wordsIn(text)).toEqual([word]))

it.each([
  'There is no number; there are no cases, and there must be no gap.',
  'It is no longer than before, and waits no more. It remains no longer.',
  'The reason, or null if there is none. They are none of the listed ones.',
  'return 0 if value is None else 1',
  "const aria = 'aria-labelledby'",
  'results that are optimistic',
  '// A comment. Whatever follows',
  '// Whoever reads this. Those that follow are valid.',
])('accepts %j', (text) => expect(wordsIn(text)).toEqual([]))

it('accepts a heading of a page that a comment could not begin with', () => {
  expect(wordsIn('# What a model predicts', 'a.md')).toEqual([])
  expect(wordsIn('# What a model predicts', 'a.py')).toEqual(['# What'])
})

it.each([
  [
    'docs/a.md',
    'the traceback of 95 % of the catalogue beside it',
    ['5 %', 'traceback', 'catalogue', 'beside'],
  ],
  ['packages/contracts/src/phrases/a.ts', "a: 'in the traceback'", ['traceback']],
  ['packages/server/src/a.ts', 'const traceback = 5 % 3 // catalogue', []],
  ['packages/web/src/text/data/en.ts', "'upload.beside': 'Keep both: 95%'", []],
])('in %s, finds in %j the words that only prose may not have', (path, text, words) => {
  expect(wordsIn(text, path).sort()).toEqual([...words].sort())
})

it('names the line, the text and the replacement', () => {
  expect(findIn('docs/a.md', 'First.\n  A data set.\n')).toEqual([
    { path: 'docs/a.md', line: 2, word: 'data set', text: 'A data set.', remedy: '"dataset"' },
  ])
})
