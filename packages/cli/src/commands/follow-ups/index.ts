import type { FollowUp, FollowUpOutcomesAdded } from '@medloom/contracts'
import { type AddCommand, addGroup, collect, type MedloomCommand, wholeNumber } from '../../command.js'
import type { CommandContext } from '../../context.js'
import { connect } from '../../service/connection.js'
import { findFollowUp } from '../../service/find-follow-up.js'
import { listUpTo } from '../../service/pages.js'
import { age } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { fromCurrentFolder } from '../../terminal/terminal.js'
import { removes } from '../remove.js'
import { coverageLines, evaluationPage, followUpPage } from './pages.js'

export function addFollowUps(program: MedloomCommand, context: CommandContext): void {
  const followUps = addGroup(program, 'follow-ups', 'outcomes of predictions that arrive later', 'ls')
  for (const add of [addList, addCreate, addOutcomes, addShow, addEvaluate, addClose, addRemove])
    add(followUps, context)
}

const addList: AddCommand = (parent) =>
  parent
    .add('ls')
    .description('list the follow-ups, newest first')
    .option('--model <id>', 'only follow-ups of this model')
    .option('--limit <n>', 'list at most this many', wholeNumber, 50)
    .example('medloom follow-ups ls', 'medloom follow-ups ls --model resnet18_gated_001 --json')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const filter = options.model === undefined ? {} : { model_id: options.model }
      const page = await listUpTo(options.limit, 'follow_ups', (query) =>
        client.listFollowUps({ ...query, ...filter }),
      )
      print(options, page, ({ follow_ups, next_page_token }) =>
        follow_ups.length === 0
          ? 'There are no follow-ups. Create one: medloom follow-ups create <model> --name <text>'
          : tableOf(follow_ups) + (next_page_token ? '\nThere are more; use --limit.' : ''),
      )
    })

const addCreate: AddCommand = (parent) =>
  parent
    .add('create')
    .description('collect the predictions of a model from now on')
    .argument('<model>', 'model id or alias')
    .requiredOption('--name <text>', 'name of the follow-up')
    .option('--id-column <column>', 'column with the id of each case (default: that of the request)')
    .option('--window-days <n>', 'length of a time window in days', wholeNumber, 30)
    .option('--silent', 'hide the predictions, and the results, until the follow-up is closed')
    .example('medloom follow-ups create champion --name "ward 3" --id-column case_id --silent')
    .action(async (model: string, _, command) => {
      const { name, idColumn, windowDays, silent, ...options } = command.optsWithGlobals()
      const followUp = await connect(options).createFollowUp({
        ...{ model, name, window_days: windowDays },
        ...(idColumn === undefined ? {} : { id_column: idColumn }),
        ...(silent ? { silent: true } : {}),
      })
      print(options, followUp, ({ follow_up_id, model_id }) =>
        [
          `Created the follow-up ${follow_up_id} of ${model_id}.`,
          'Add outcomes: medloom follow-ups outcomes <follow-up> <table> --id-column <column>',
        ].join('\n'),
      )
    })

const addOutcomes: AddCommand = (parent) =>
  parent
    .add('outcomes')
    .description('add the outcomes of a table; rows that are already stored change nothing')
    .argument('<follow-up>', 'id, name or latest')
    .argument('<table>', 'table with the ids and the outcomes')
    .requiredOption('--id-column <column>', 'column with the ids, as in the requests for predictions')
    .option(
      '--label <column>',
      'column of an outcome; repeat it for several (default: those of the training)',
      collect,
    )
    .option('--replace', 'replace stored outcomes that differ')
    .example('medloom follow-ups outcomes "ward 3" outcomes.csv --id-column case_id')
    .action(async (word: string, table: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const follow_up_id = await findFollowUp(client, word)
      const added = await client.addOutcomes({
        ...{ follow_up_id, path: fromCurrentFolder(table), id_column: options.idColumn },
        ...(options.label ? { label_columns: options.label } : {}),
        ...(options.replace ? { replace: true } : {}),
      })
      print(options, added, addedPage)
    })

const addShow: AddCommand = (parent) =>
  parent
    .add('show')
    .description('show a follow-up, and how many of its cases have an outcome')
    .argument('<follow-up>', 'id, name or latest')
    .example('medloom follow-ups show latest')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const follow_up_id = await findFollowUp(client, word)
      print(options, await client.getFollowUp({ follow_up_id }), followUpPage)
    })

const addEvaluate: AddCommand = (parent) =>
  parent
    .add('evaluate')
    .description('measure the known outcomes by time window, and test for drift')
    .argument('<follow-up>', 'id, name or latest')
    .option('--stored', 'show the latest evaluation, without a new one')
    .example('medloom follow-ups evaluate "ward 3"', 'medloom follow-ups evaluate latest --stored --json')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const follow_up_id = await findFollowUp(client, word)
      const evaluation = options.stored
        ? await client.getFollowUpEvaluation({ follow_up_id })
        : await client.evaluateFollowUp({ follow_up_id })
      print(options, evaluation, evaluationPage)
    })

const addClose: AddCommand = (parent) =>
  parent
    .add('close')
    .description('collect no further predictions; outcomes can still be added')
    .argument('<follow-up>', 'id, name or latest')
    .example('medloom follow-ups close "ward 3"')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const follow_up_id = await findFollowUp(client, word)
      print(
        options,
        await client.closeFollowUp({ follow_up_id }),
        ({ name }) => `Closed the follow-up "${name}".`,
      )
    })

const addRemove: AddCommand = (parent) =>
  removes(
    parent
      .add('rm')
      .description('remove follow-ups with their collected predictions and outcomes')
      .argument('<follow-up...>', 'ids or names')
      .example('medloom follow-ups rm latest --dry-run'),
    {
      noun: 'follow-up',
      find: findFollowUp,
      remove: (client, follow_up_id, dry_run) => client.deleteFollowUp({ follow_up_id, dry_run }),
    },
  )

function tableOf(followUps: readonly FollowUp[]): string {
  return formatTable(
    ['follow-up', 'name', 'model', 'state', 'silent', 'window', 'created'],
    followUps.map((one) => [
      ...[one.follow_up_id, one.name, one.model_id, one.closed_at === null ? 'open' : 'closed'],
      ...[one.silent ? 'yes' : 'no', `${one.window_days} d`, age(one.created_at)],
    ]),
  )
}

function addedPage({
  rows,
  unknown,
  without_outcome,
  added,
  replaced,
  unchanged,
  coverage,
}: FollowUpOutcomesAdded) {
  return [
    `rows             ${rows}`,
    `added            ${added}`,
    `replaced         ${replaced}`,
    `unchanged        ${unchanged}`,
    `unknown ids      ${unknown}`,
    `without outcome  ${without_outcome}`,
    '',
    ...coverageLines(coverage),
  ].join('\n')
}
