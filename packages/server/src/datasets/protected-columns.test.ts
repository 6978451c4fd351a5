import { expect, test } from 'vitest'
import { refuseUnmasking } from './protected-columns.js'

const column = (name: string, role: 'id' | 'ignored' | 'categorical' | 'label' | 'patient') => ({
  name,
  role,
  missing: 0,
  distinct: 2,
  reason: '',
})
const before = [column('mrn', 'id'), column('ward', 'categorical')]
const without = { user: 'ann', identifiers: false }

test('a token without identifiers cannot show a masked column by giving it another role', () => {
  for (const role of ['categorical', 'label'] as const)
    expect(() => refuseUnmasking(before, [column('mrn', role)], { mrn: role }, without)).toThrow(
      'would show the values of "mrn"',
    )
})

test('it may mask columns, and keep one masked by another role', () => {
  const after = [column('mrn', 'patient'), column('ward', 'ignored')]
  refuseUnmasking(before, after, { mrn: 'patient', ward: 'ignored' }, without)
})

test('a new column counts as masked if a role is chosen for it', () => {
  const after = [...before, column('name', 'categorical')]
  refuseUnmasking(before, after, {}, without)
  expect(() => refuseUnmasking(before, after, { name: 'categorical' }, without)).toThrow('"name"')
})

test('a token with identifiers may choose any role', () => {
  refuseUnmasking(before, [column('mrn', 'label')], { mrn: 'label' }, { user: 'bob', identifiers: true })
})
