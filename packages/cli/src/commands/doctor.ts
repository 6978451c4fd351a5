import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import type { Check } from '../doctor/check.js'
import { checkDataFolder, checkDisk, checkService } from '../doctor/machine-checks.js'
import { checkNode } from '../doctor/node-check.js'
import { checkPython } from '../doctor/python-checks.js'
import { EXIT } from '../exit-codes.js'
import type { CommandContext } from '../program.js'
import { connect } from '../service/connection.js'
import { print } from '../terminal/print.js'
import { styleFor } from '../terminal/style.js'

export function addDoctor(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description('check Node, Python, GPU, disk and service, and say how to mend what is broken')
    .option('--data-dir <folder>', 'data folder (MEDLOOM_DATA_DIR; default ./medloom-data)')
    .option('--python <file>', "interpreter of the trainer (MEDLOOM_PYTHON; default: the project's own)")
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals()
      const repository = resolve(fileURLToPath(import.meta.url), '../../../../..')
      const dataDir = resolve(options.dataDir ?? process.env.MEDLOOM_DATA_DIR ?? 'medloom-data')
      const python = options.python ?? (process.env.MEDLOOM_PYTHON || ownPython(repository))
      const [pythonChecks, service] = await Promise.all([
        checkPython(python, repository),
        checkService(connect(options)),
      ])
      const checks: Check[] = [
        checkNode(),
        ...pythonChecks,
        checkDataFolder(dataDir),
        checkDisk(dataDir),
        service,
      ]
      const broken = checks.some((check) => check.status === 'fail')
      const status = broken ? 'fail' : checks.some((check) => check.status === 'warn') ? 'warn' : 'ok'
      print(options, { status, checks }, page)
      context.exitCode = broken ? EXIT.failed : EXIT.ok
    })
}

function ownPython(repository: string): string {
  return resolve(
    repository,
    '.venv',
    ...(process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python']),
  )
}

function page({ status, checks }: { status: string; checks: readonly Check[] }): string {
  const style = styleFor(process.stdout)
  const sign = { ok: style.green('ok  '), warn: style.yellow('warn'), fail: style.red('fail') }
  const lines = checks.map(
    (check) =>
      `${sign[check.status]}  ${check.title.padEnd(16)} ${check.message}${check.remedy ? `\n      ${' '.repeat(16)} ${check.remedy}` : ''}`,
  )
  const verdict = {
    ok: 'Everything is in order.',
    warn: 'Medloom can run; mind the warnings.',
    fail: 'Mend what failed, then run this again.',
  }
  return [...lines, '', verdict[status as keyof typeof verdict]].join('\n')
}
