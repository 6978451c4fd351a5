import { expect, test } from 'vitest'
import { AliasName } from './aliases.js'

test.each([
  ['champion', true],
  ['screening-2026', true],
  ['v1.2', true],
  ['latest', false],
  ['latest-good', true],
  ['resnet18_gated_001', false],
  ['resnet18_gated_latest', false],
  ['Champion', false],
  ['-a', false],
  ['../x', false],
  ['', false],
  ['a'.repeat(64), false],
])(
  'the alias %j is allowed: %s, so that it is never the id of a model or an automatic alias',
  (name, allowed) => expect(AliasName.safeParse(name).success).toBe(allowed),
)
