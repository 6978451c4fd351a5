import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REPOSITORY } from './repository.js'
import { MEDLOOM_VERSION } from './version.js'

test('all packages and the trainer have the same version: a trainer of another version refuses to start', () => {
  const { workspaces } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8'))
  const versions = workspaces.map(
    (path: string) => JSON.parse(readFileSync(join(REPOSITORY, path, 'package.json'), 'utf8')).version,
  )
  const trainer = readFileSync(join(REPOSITORY, 'trainer/src/medloom_trainer/__init__.py'), 'utf8')
  expect(new Set([...versions, /__version__ = "(.+)"/.exec(trainer)?.[1]])).toEqual(
    new Set([MEDLOOM_VERSION]),
  )
})
