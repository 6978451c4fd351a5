import { afterEach, expect, test } from 'vitest'
import { connection } from './connection'

afterEach(() => connection.recordLogin())

test('a refusal asks for a login, and only a login ends that', () => {
  const [early, late] = [connection.trackRequest(), connection.trackRequest()]
  early(401)
  expect(connection.state()).toBe('unauthorized')
  // None of these ends the wait for a login: a response without authentication, a late response, a lost connection.
  connection.trackRequest()(200)
  late(200)
  connection.recordLoss()
  expect(connection.state()).toBe('unauthorized')
  connection.recordLogin()
  expect(connection.state()).toBe('connected')
})

test('what was asked before a login refuses nobody afterwards', () => {
  const [first, second] = [connection.trackRequest(), connection.trackRequest()]
  first(401)
  connection.recordLogin()
  second(401)
  expect(connection.state()).toBe('connected')
  connection.trackRequest()(401)
  expect(connection.state()).toBe('unauthorized')
})
