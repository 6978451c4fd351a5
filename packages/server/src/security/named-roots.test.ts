import { expect, it } from 'vitest'
import { nameRoots } from './named-roots.js'

it.each([
  ['by the last part of their path', ['/x/study', '/y/atlas'], {}, ['study', 'atlas']],
  ['with a number where that is taken', ['/x/study', '/y/study'], {}, ['study', 'study-2']],
  ['with their given names', ['/x/study', '/y/study'], { '/y/study': 'study' }, ['study-2', 'study']],
  ['also where the path has no last part', ['/'], {}, ['root']],
])('roots are named %s', (_, folders, names, expected) => {
  expect(nameRoots(folders, '/data', names)).toEqual([
    ...expected.map((name, index) => ({ name, folder: folders[index] })),
    { name: '@data', folder: '/data' },
  ])
})
