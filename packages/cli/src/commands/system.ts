import type { SystemInfo } from '@medloom/contracts'
import type { Command } from 'commander'
import { connect } from '../connection.js'
import { formatTable } from '../table.js'
import { print } from '../terminal.js'

export function addSystem(program: Command): void {
  program
    .command('system')
    .description('show GPU, disk and versions of the machine that the service runs on')
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).getSystemInfo(), systemPage)
    })
}

export function addBackbones(program: Command): void {
  program
    .command('backbones')
    .description('list the vision backbones and their aliases')
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).listBackbones(), ({ backbones }) =>
        formatTable(
          ['backbone', 'family', 'aliases'],
          backbones.map(({ name, family, aliases }) => [name, family, aliases.join(', ')]),
        ),
      )
    })
}

function systemPage(info: SystemInfo): string {
  const devices = info.gpu.devices.map(
    (device) => `gpu ${device.id}     ${device.name}, ${device.memory_used} of ${device.memory_total} used`,
  )
  const noGpu = info.gpu.mps ? 'gpu       Apple (Metal)' : 'gpu       none; the CPU trains'
  return [
    ...(devices.length > 0 ? devices : [noGpu]),
    `disk      ${info.disk.free} free of ${info.disk.total}`,
    `memory    ${info.memory.free} free of ${info.memory.total}`,
    `cpu       ${info.cpu.count} × ${info.cpu.model}`,
    `python    ${info.python_version}`,
    `pytorch   ${info.pytorch_version}`,
    `node      ${info.node_version}`,
    `medloom   ${info.medloom_version}`,
    `platform  ${info.platform}`,
    ...(info.python_error ? [`problem   ${info.python_error}`, 'Run "medloom doctor".'] : []),
  ].join('\n')
}
