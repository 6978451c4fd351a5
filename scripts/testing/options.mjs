// The command line of scripts/test.mjs.
import { parseArgs } from 'node:util'

export const USAGE = `npm test -- [options] [FILE or FOLDER …]

Without options: every check, except the tests that are marked "full".

  FILE or FOLDER    only these tests
  --part NAME       only this part; repeat it for several: PARTS
  --full            also the tests that are marked "full", and the budgets of time
  --quick           only tests that start no service and train no model
  --changed         only tests that import a file changed since the last commit
  --since REF       with --changed: since this commit or branch
  --repeat N        run the selection N times
  --shuffle         in random order
  --seed N          the seed of the order, to repeat it
  --load            longer time limits, for a machine under load
  --times           print how long the last runs took; runs no test
  --help            print this text`

const OPTIONS = {
  part: { type: 'string', multiple: true, default: [] },
  full: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  changed: { type: 'boolean', default: false },
  since: { type: 'string' },
  repeat: { type: 'string', default: '1' },
  shuffle: { type: 'boolean', default: false },
  seed: { type: 'string' },
  load: { type: 'boolean', default: false },
  times: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
}

/** An invalid command line, described in one sentence. */
export class UsageError extends Error {}

/** The options as values. @throws UsageError */
export function readOptions(args, parts) {
  const { values, positionals: files } = parse(args)
  const options = {
    ...values,
    files,
    changed: values.changed || values.since !== undefined,
    repeat: wholeNumber('--repeat', values.repeat),
    shuffle: values.shuffle || values.seed !== undefined,
    ...(values.seed === undefined ? {} : { seed: wholeNumber('--seed', values.seed) }),
  }
  const unknown = options.part.find((name) => !parts.includes(name))
  if (unknown !== undefined) throw new UsageError(`--part: "${unknown}" is not one of ${parts.join(', ')}.`)
  const selections = [files.length > 0, options.part.length > 0, options.changed, options.quick, options.full]
  if (selections.filter(Boolean).length > 1 && !(options.part.length > 0 && options.full && !options.changed))
    throw new UsageError(
      'Use only one of FILE, --part, --changed, --quick and --full; --part and --full go together.',
    )
  return options
}

function parse(args) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error.message)
  }
}

function wholeNumber(name, text) {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new UsageError(`${name}: "${text}" is not a whole number from 1 on.`)
  return Number(text)
}
