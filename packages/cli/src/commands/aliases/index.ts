import type { AliasMove } from '@medloom/contracts'
import { type AddCommand, addGroup, type MedloomCommand, wholeNumber } from '../../command.js'
import type { CommandContext } from '../../context.js'
import { connect } from '../../service/connection.js'
import { listUpTo } from '../../service/pages.js'
import { UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'

export function addModelAliases(program: MedloomCommand, context: CommandContext): void {
  const aliases = addGroup(program, 'aliases', 'names for models, such as champion, and their history', 'ls')
  for (const add of [addList, addSet, addShow, addHistory, addRemove]) add(aliases, context)
}

const addList: AddCommand = (parent) =>
  parent
    .add('ls')
    .description('list the aliases and the models that they name')
    .example('medloom aliases')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).listAliases(), ({ aliases }) =>
        aliases.length === 0
          ? 'There are no aliases. Set one: medloom aliases set champion <model>'
          : moveTable(aliases),
      )
    })

const addSet: AddCommand = (parent) =>
  parent
    .add('set')
    .description('set an alias to a model; the history keeps who set it, when, and on which evaluation')
    .argument('<alias>', 'name of a-z, 0-9, "." and "-", such as champion or screening-2026')
    .argument('<model>', 'model id, or another alias of the model')
    .option('--evaluation <id>', 'evaluation that supports it (default: the latest on a test split)')
    .option('--note <text>', 'reason, for the history')
    .example('medloom aliases set champion resnet18_gated_001 --note "better on the external test set"')
    .action(async (alias: string, model_id: string, _, command) => {
      const options = command.optsWithGlobals()
      const { evaluation, note } = options
      const body = {
        model_id,
        ...(evaluation === undefined ? {} : { evaluation_id: evaluation }),
        ...(note === undefined ? {} : { note }),
      }
      print(options, await connect(options).setAlias({ alias, ...body }), movePage)
    })

const addShow: AddCommand = (parent) =>
  parent
    .add('show')
    .description('show the model that an alias names or named, who set it, and on which evaluation')
    .argument('<alias>', 'alias')
    .option('--at <time>', 'date or time in the past, such as 2026-03-31 or 2026-03-31T12:00:00Z')
    .example('medloom aliases show champion --at 2026-03-31')
    .action(async (alias: string, _, command) => {
      const options = command.optsWithGlobals()
      const at = options.at === undefined ? {} : { at: endOf(options.at) }
      print(options, await connect(options).getAlias({ alias, ...at }), movePage)
    })

const addHistory: AddCommand = (parent) =>
  parent
    .add('history')
    .description('list the models that an alias has pointed to, newest first')
    .argument('<alias>', 'alias')
    .option('--limit <n>', 'list at most this many', wholeNumber, 50)
    .example('medloom aliases history champion --json')
    .action(async (alias: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const page = await listUpTo(options.limit, 'moves', (query) =>
        client.listAliasMoves({ alias, ...query }),
      )
      print(options, page, ({ moves, next_page_token }) =>
        [moveTable(moves), ...(next_page_token ? ['There are more; use --limit.'] : [])].join('\n'),
      )
    })

const addRemove: AddCommand = (parent) =>
  parent
    .add('rm')
    .description('remove an alias; its history is kept')
    .argument('<alias>', 'alias')
    .example('medloom aliases rm screening-2026')
    .action(async (alias: string, _, command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).removeAlias({ alias }), () => `Removed the alias ${alias}.`)
    })

/** A date means the end of that day, in UTC, so that what was set on the day counts. */
function endOf(time: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(time) ? `${time}T23:59:59.999Z` : time
}

function moveTable(moves: readonly AliasMove[]): string {
  return formatTable(
    ['alias', 'model', 'set at', 'set by', 'evaluation', 'note'],
    moves.map(({ alias, model_id, set_at, set_by, evaluation_id, note }) => [
      alias,
      model_id ?? 'removed',
      set_at,
      set_by ?? UNKNOWN,
      evaluation_id ?? UNKNOWN,
      note ?? '',
    ]),
  )
}

function movePage(move: AliasMove): string {
  return [
    `alias       ${move.alias}`,
    `model       ${move.model_id ?? 'none: the alias or its model was removed'}`,
    `set         ${move.set_at}${move.set_by === null ? '' : ` by ${move.set_by}`}`,
    ...(move.until === null ? [] : [`until       ${move.until}`]),
    `evaluation  ${move.evaluation_id ?? 'none: the model was not evaluated on a test split'}`,
    ...(move.weights_digest === null ? [] : [`weights     ${move.weights_digest}`]),
    ...(move.note === null ? [] : [`note        ${move.note}`]),
  ].join('\n')
}
