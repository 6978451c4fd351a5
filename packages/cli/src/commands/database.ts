import { counted } from '@medloom/contracts'
import { type AddCommand, addGroup } from '../command.js'
import { UsageError } from '../exit-codes.js'
import { print } from '../terminal/print.js'
import { formatTable } from '../terminal/table.js'
import { terminal } from '../terminal/terminal.js'

/** Number of digits shown of a digest. */
const SHOWN = 12

export const addDatabase: AddCommand = (program) => {
  const database = addGroup(
    program,
    'database',
    'move the database of a service to a server, or back',
    'copy',
  )
  database
    .add('copy')
    .description(
      'copy all rows between the data folder of a stopped service and an empty PostgreSQL database, and compare both sides; files are not moved',
    )
    .option('--from <place>', 'data folder, or address of a database (default: MEDLOOM_DATABASE_URL)')
    .option(
      '--to <place>',
      'address of an empty database, or a new data folder (default: MEDLOOM_DATABASE_URL)',
    )
    .example('medloom database copy --from ./medloom-data --to postgres://medloom@db.example.org/medloom')
    .note(
      'Set MEDLOOM_DATABASE_URL to an address that contains a password: other users of the machine can read arguments.',
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      const [from, to] = [options.from ?? given(options.to), options.to ?? given(options.from)]
      const { copyDatabase, StartError } = await import('@medloom/server')
      const onTable = ({ table, rows }: { table: string; rows: number }, done: number, total: number) => {
        if (terminal().stderr.isTTY)
          terminal().stderr.write(`${done}/${total} ${table}: ${counted(rows, 'row')}\n`)
      }
      const tables = await copyDatabase({ from, to, onTable }).catch((error) => {
        throw error instanceof StartError ? new UsageError(error.message, error.remedy) : error
      })
      print(options, { tables }, () => report(tables))
    })
  return database
}

function given(other: string | undefined): string {
  const url = terminal().env.MEDLOOM_DATABASE_URL
  if (other !== undefined && url) return url
  throw new UsageError(
    'The source or the target of the copy is missing.',
    'Set both with --from and --to, or one of them with an option and the other with MEDLOOM_DATABASE_URL.',
  )
}

function report(tables: readonly { table: string; rows: number; digest: string }[]): string {
  const filled = tables.filter(({ rows }) => rows > 0)
  const rows = filled.map(({ table, rows, digest }) => [table, String(rows), digest.slice(0, SHOWN), 'equal'])
  const sum = filled.reduce((total, one) => total + one.rows, 0)
  return [
    formatTable(['table', 'rows', 'SHA-256', 'read back'], rows),
    `Identical on both sides: ${counted(sum, 'row')} of ${counted(filled.length, 'table')}. Empty: ${counted(tables.length - filled.length, 'table')}.`,
  ].join('\n')
}
