import type { AuditEntry } from '@medloom/contracts'
import { addGroup, type MedloomCommand, wholeNumber } from '../../command.js'
import { connect } from '../../service/connection.js'
import { listUpTo } from '../../service/pages.js'
import { UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'

export function addAudit(program: MedloomCommand): void {
  const audit = addGroup(program, 'audit', 'show the audit log', 'ls')
  audit
    .add('ls')
    .description('list changes and refused requests, newest first')
    .option('--user <name>', 'only entries of this user')
    .option('--operation <name>', 'only entries of this operation, for example startTraining')
    .option('--since <time>', 'only entries since this time, for example 2026-11-01T00:00:00Z')
    .option('--limit <n>', 'list at most this many', wholeNumber, 50)
    .example('medloom audit ls', 'medloom audit ls --user bob --operation deleteJob --json')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      const { user, operation, since, limit } = options
      const filter = { ...(user && { user }), ...(operation && { operation }), ...(since && { since }) }
      const client = connect(options)
      const page = await listUpTo(limit, 'entries', (query) => client.listAudit({ ...query, ...filter }))
      print(options, page, ({ entries }) => (entries.length === 0 ? 'There are no entries.' : table(entries)))
    })
}

function table(entries: readonly AuditEntry[]): string {
  const rows = entries.map((entry) => [
    entry.created_at,
    entry.user ?? UNKNOWN,
    entry.operation,
    Object.entries(entry.ids)
      .map(([name, id]) => `${name}=${id}`)
      .join(' '),
    entry.outcome === null ? 'no end' : `${entry.outcome}${entry.code ? ` ${entry.code}` : ''}`,
    entry.address,
  ])
  return formatTable(['when', 'user', 'operation', 'of', 'outcome', 'from'], rows)
}
