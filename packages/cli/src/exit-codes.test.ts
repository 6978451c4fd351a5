import { MedloomError } from '@medloom/client/node'
import { CommanderError } from 'commander'
import { expect, it } from 'vitest'
import { EXIT, exitCodeOf, UsageError } from './exit-codes.js'

const answered = (http: number, code: string) => new MedloomError('', { http, code, details: '' })
const ofSystem = (code: string) => Object.assign(new Error(code), { code })

it.each<[what: string, error: unknown, status: number]>([
  ['something that does not exist', answered(404, 'JOB_NOT_FOUND'), EXIT.notFound],
  ['input that the service refuses', answered(400, 'INVALID_CONFIG'), EXIT.badInput],
  ['too many requests', answered(429, 'TOO_MANY_REQUESTS'), EXIT.badInput],
  ['a missing token', answered(401, 'UNAUTHORIZED'), EXIT.refused],
  ['a token that does not allow it', answered(403, 'FORBIDDEN'), EXIT.refused],
  ['a host that is not allowed', answered(400, 'FORBIDDEN_HOST'), EXIT.refused],
  ['a defect of the service', answered(500, 'INTERNAL'), EXIT.failed],
  ['a service without its database', answered(503, 'DATABASE_UNAVAILABLE'), EXIT.failed],
  ['a service that is not there', answered(0, 'UNREACHABLE'), EXIT.unreachable],
  ['an answer of something else', answered(200, 'INVALID_RESPONSE'), EXIT.unreachable],
  ['an interruption', answered(0, 'ABORTED'), EXIT.interrupted],
  ['invalid usage', new UsageError('', ''), EXIT.badInput],
  ['invalid usage with a status of its own', new UsageError('', '', EXIT.notFound), EXIT.notFound],
  ['an unknown option', new CommanderError(1, 'commander.unknownOption', ''), EXIT.badInput],
  ['help', new CommanderError(0, 'commander.help', ''), EXIT.ok],
  ['a full disk', ofSystem('ENOSPC'), EXIT.failed],
  ['a defect', new TypeError(''), EXIT.defect],
])('%s gives its exit status', (_, error, status) => {
  expect(exitCodeOf(error)).toBe(status)
})
