import { REPOSITORY, TRAINER_PYTHON } from '@medloom/server/repository'
import type { AddCommand } from '../command.js'
import type { Check } from '../doctor/check.js'
import { checkCluster, checkDashboard } from '../doctor/cluster-checks.js'
import { checkDataFolder, checkDisk, checkService } from '../doctor/machine-checks.js'
import { checkNode } from '../doctor/node-check.js'
import { checkPython } from '../doctor/python-checks.js'
import { EXIT } from '../exit-codes.js'
import { connect } from '../service/connection.js'
import { print } from '../terminal/print.js'
import { styleFor } from '../terminal/style.js'
import { fromCurrentFolder, terminal } from '../terminal/terminal.js'

export const addDoctor: AddCommand = (parent, context) =>
  parent
    .add('doctor')
    .description('check Node, Python, GPU, disk, service and cluster, and show how to fix problems')
    .option('--data-dir <folder>', 'data folder, or MEDLOOM_DATA_DIR (default: ./medloom-data)')
    .option('--python <file>', "interpreter of the trainer, or MEDLOOM_PYTHON (default: the project's own)")
    .example('medloom doctor', 'medloom doctor --json')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      const dataDir = fromCurrentFolder(options.dataDir ?? terminal().env.MEDLOOM_DATA_DIR ?? 'medloom-data')
      const python = options.python ?? (terminal().env.MEDLOOM_PYTHON || TRAINER_PYTHON)
      const client = connect(options)
      const [pythonChecks, service, ...clusterChecks] = await Promise.all([
        checkPython(python, REPOSITORY),
        checkService(client),
        checkCluster(client),
        checkDashboard(terminal().env.MEDLOOM_RAY_ADDRESS),
      ])
      const machineChecks = [
        await checkDataFolder(dataDir),
        checkDisk(dataDir),
        service,
        ...clusterChecks.flat(),
      ]
      const checks: Check[] = [checkNode(), ...pythonChecks, ...machineChecks]
      const failed = checks.some((check) => check.status === 'fail')
      const status = failed ? 'fail' : checks.some((check) => check.status === 'warn') ? 'warn' : 'ok'
      print(options, { status, checks }, page)
      context.exitCode = failed ? EXIT.failed : EXIT.ok
    })

function page({ status, checks }: { status: Check['status']; checks: readonly Check[] }): string {
  const style = styleFor(terminal().stdout)
  const sign = { ok: style.green('ok  '), warn: style.yellow('warn'), fail: style.red('fail') }
  const lines = checks.map(
    (check) =>
      `${sign[check.status]}  ${check.title.padEnd(16)} ${check.message}${check.remedy ? `\n      ${' '.repeat(16)} ${check.remedy}` : ''}`,
  )
  const verdict = {
    ok: 'No problems found.',
    warn: 'Medloom can run; read the warnings.',
    fail: 'Fix the failures, then run this command again.',
  }
  return [...lines, '', verdict[status]].join('\n')
}
