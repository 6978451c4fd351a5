import { expect, it } from 'vitest'
import { UsageError } from '../../exit-codes.js'
import { rolesFrom } from './roles.js'

it('roles of options change those before, and are taken back', () => {
  const before = { code: 'numeric', who: 'patient' } as const
  expect(rolesFrom(['code=categorical', 'a=b=label', 'who=inferred'], before)).toEqual({
    code: 'categorical',
    'a=b': 'label',
  })
})

it.each(['code', '=label', 'code=constant', 'code='])('%s is refused', (text) => {
  expect(() => rolesFrom([text])).toThrow(UsageError)
})
