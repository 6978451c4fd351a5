import { expect, test } from 'vitest'
import { TransactionGate } from './transaction-gate.js'

test('what comes while a transaction is open waits for its end, in the order in which it came', () => {
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
