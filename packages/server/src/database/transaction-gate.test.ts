import { expect, test } from 'vitest'
import { TransactionGate } from './transaction-gate.js'

test('requests during an open transaction wait for its end, in order', () => {
  const gate = new TransactionGate()
  const sent: string[] = []
  const send = (name: string) => () => void sent.push(name)
  gate.pass(send('a'))
  gate.enter(send('begin 1'))
  gate.pass(send('b'))
  gate.pass(send('c'))
  gate.enter(send('begin 2'))
  gate.pass(send('d'))
  gate.enter(send('begin 3'))
  expect(sent).toEqual(['a', 'begin 1'])
  gate.leave()
  expect(sent).toEqual(['a', 'begin 1', 'b', 'c', 'begin 2'])
  gate.leave()
  gate.leave()
  gate.pass(send('e'))
  expect(sent.slice(5)).toEqual(['d', 'begin 3', 'e'])
})

test('background transactions let others go first, but at most one each', () => {
  const gate = new TransactionGate()
  const sent: string[] = []
  const send = (name: string) => () => void sent.push(name)
  const patient = (name: string) => gate.enter(send(name), true)
  patient('patient 1')
  patient('patient 2')
  patient('patient 3')
  gate.enter(send('begin 1'))
  gate.enter(send('begin 2'))
  gate.pass(send('a'))
  gate.enter(send('begin 3'))
  for (let ended = 0; ended < 6; ended++) gate.leave()
  expect(sent).toEqual([...['patient 1', 'begin 1', 'patient 2', 'begin 2', 'a', 'patient 3', 'begin 3']])
  gate.leave()
  patient('patient 4')
  expect(sent.at(-1)).toBe('patient 4')
})
