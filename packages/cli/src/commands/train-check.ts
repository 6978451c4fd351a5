import type { MedloomClient } from '@medloom/client/node'
import { estimateInWords, networksInWords, type TrainingCheck } from '@medloom/contracts'
import type { CommandContext } from '../context.js'
import { CHECK_WAIT_SECONDS } from '../durations.js'
import { EXIT } from '../exit-codes.js'
import { bytes } from '../terminal/format.js'
import { type OutputOptions, print } from '../terminal/print.js'
import { issueLines } from '../terminal/report-error.js'
import { styleFor } from '../terminal/style.js'
import { terminal } from '../terminal/terminal.js'

/** Describe the training without starting it. */
export async function checkAsCommand(
  client: MedloomClient,
  config: Record<string, unknown>,
  context: CommandContext,
  options: OutputOptions,
): Promise<void> {
  let checked = await client.checkTraining({ config, wait_seconds: CHECK_WAIT_SECONDS })
  while (checked.trainer.state === 'working')
    checked = await client.checkTraining({ config, wait_seconds: CHECK_WAIT_SECONDS })
  print(options, checked, (found) => page(found, context))
  if (!checked.ok) context.exitCode = EXIT.badInput
  else if (checked.trainer.state === 'failed') context.exitCode = EXIT.failed
}

function page(checked: TrainingCheck, { placeOf }: CommandContext): string {
  const style = styleFor(terminal().stdout)
  const issues = checked.issues.map((issue) => {
    const word = issue.severity === 'warning' ? style.yellow('warning') : style.red('error  ')
    return `${word}${issueLines(issue, placeOf, style)}`
  })
  const warnings = (checked.data?.warnings ?? []).map(
    ({ code, message }) => `${style.yellow('warning')}  ${code}: ${message}`,
  )
  const verdict = checked.ok
    ? style.green('The training can be started.')
    : style.red('The training cannot be started.')
  return [...issues, ...warnings, ...facts(checked), verdict].join('\n')
}

function facts({ data, model, memory, networks, trainer, time, config }: TrainingCheck): string[] {
  if (config === null) return []
  const lines: [string, string | null][] = [
    ['Tables', trainer.state === 'failed' ? `could not be checked: ${trainer.reason}` : null],
    ['Predicts', data && [data.task, ...(data.classes ? [data.classes.join(', ')] : [])].join(': ')],
    ['Columns', data && columnsOf(data)],
    ['Cases', data && casesOf(data)],
    ['Networks', networks === null ? null : networksInWords(networks)],
    ['Parameters', model && `${model.exact ? '' : 'about '}${model.parameters.toLocaleString('en-US')}`],
    ['Memory', memory && `about ${bytes(memory.bytes)} on the ${memory.device}`],
    ['Time', estimateInWords(time) ?? `unknown. ${time.reason}`],
  ]
  return lines.flatMap(([name, text]) => (text === null ? [] : [`${name.padEnd(11)} ${text}`]))
}

function columnsOf(data: NonNullable<TrainingCheck['data']>): string {
  const counts = [
    [data.image_columns.length, 'image'],
    [data.numeric_columns.length, 'numeric'],
    [data.categorical_columns.length, 'categorical'],
  ] as const
  return counts.flatMap(([count, kind]) => (count === 0 ? [] : [`${count} ${kind}`])).join(', ')
}

function casesOf({ splits }: NonNullable<TrainingCheck['data']>): string {
  return Object.entries(splits)
    .map(([split, { cases }]) => `${cases} ${split}`)
    .join(', ')
}
