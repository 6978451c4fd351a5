import { expect, it } from 'vitest'
import { UsageError } from '../../exit-codes.js'
import { rolesFrom } from './roles.js'

it('role options override earlier roles and can remove them', () => {
  const before = { code: 'numeric', who: 'patient' } as const
  expect(rolesFrom(['code=categorical', 'a=b=label', 'who=inferred'], before)).toEqual({
    code: 'categorical',
    'a=b': 'label',
  })
})

it.each(['code', '=label', 'code=constant', 'code='])('%s is refused', (text) => {
  expect(() => rolesFrom([text])).toThrow(UsageError)
})
