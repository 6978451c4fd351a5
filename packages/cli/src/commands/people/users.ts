import type { Quotas, User } from '@medloom/contracts'
import { InvalidArgumentError } from 'commander'
import { addGroup, type MedloomCommand, wholeNumber } from '../../command.js'
import { UsageError } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'

export function addUsers(program: MedloomCommand): void {
  const users = addGroup(program, 'users', 'list the users of the service, and set their quotas', 'ls')
  addList(users)
  addSet(users)
}

function addList(users: MedloomCommand): void {
  users
    .add('ls')
    .description('list the users with their quotas and jobs')
    .example('medloom users ls')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      const page = await connect(options).listUsers()
      print(options, page, ({ users }) =>
        users.length === 0
          ? 'There are no users. To add one, create a token: medloom tokens create.'
          : table(users),
      )
    })
}

function table(users: readonly User[]): string {
  const usage = (jobs: number, quota: number | null) =>
    quota === null ? String(jobs) : `${jobs} of ${quota}`
  const rows = users.map((user) => [
    user.user,
    user.role ?? UNKNOWN,
    usage(user.running_jobs, user.max_running_jobs),
    usage(user.queued_jobs, user.max_queued_jobs),
  ])
  return formatTable(['user', 'role', 'running', 'waiting'], rows)
}

interface SetOptions {
  readonly running?: number | null
  readonly queued?: number | null
}

function addSet(users: MedloomCommand): void {
  users
    .add('set')
    .description('set the quotas of a user: running and queued training jobs')
    .argument('<user>', 'name of the user')
    .option('--running <n>', 'maximum of running jobs, or "none" for no limit', quota)
    .option('--queued <n>', 'maximum of queued jobs, or "none" for the default share of the queue', quota)
    .example('medloom users set bob --running 2', 'medloom users set bob --running none --queued 20')
    .action(async (user: string, _, command) => {
      const options = command.optsWithGlobals()
      const { running, queued } = options as SetOptions
      if (running === undefined && queued === undefined)
        throw new UsageError('There is nothing to set.', 'Use --running, --queued or both.')
      const client = connect(options)
      const known = (await client.listUsers()).users.find((one) => one.user === user)
      const quotas: Quotas = {
        max_running_jobs: running === undefined ? (known?.max_running_jobs ?? null) : running,
        max_queued_jobs: queued === undefined ? (known?.max_queued_jobs ?? null) : queued,
      }
      print(options, await client.setUser({ user, ...quotas }), (one) => table([one]))
    })
}

function quota(text: string): number | null {
  if (text === 'none') return null
  try {
    return wholeNumber(text)
  } catch {
    throw new InvalidArgumentError('It must be a whole number or "none".')
  }
}
