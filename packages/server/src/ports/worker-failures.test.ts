import { expect, test } from 'vitest'
import { nameFolder } from '../system-fault.js'
import { failureOfTask } from './worker-failures.js'

test('a fault of the machine names the file by its path in a named folder', () => {
  nameFolder('/failure-test/root', 'the root clinic')
  const reply = { type: 'error', id: '1', code: 'STORAGE_DENIED', message: 'it is denied' } as const
  const messageOf = (file: string | null) =>
    failureOfTask({ ...reply, details: '', trace: null, file }).message
  expect(messageOf('/failure-test/root/train.csv')).toBe('train.csv in the root clinic: it is denied')
  expect(messageOf('/failure-test/elsewhere')).toBe('it is denied')
  expect(messageOf(null)).toBe('it is denied')
})
