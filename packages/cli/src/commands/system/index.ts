import type { PreparedCache, SystemInfo } from '@medloom/contracts'
import type { Command } from 'commander'
import { connect } from '../../service/connection.js'
import { age, bytes, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'

export function addSystem(program: Command): void {
  const system = program
    .command('system')
    .description('show GPU, disk and versions of the machine that the service runs on')
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).getSystemInfo(), systemPage)
    })
  const cache = system.command('cache').description('show or clear the prepared images')
  cache
    .command('show', { isDefault: true })
    .description('which prepared images are kept, and what they occupy')
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).getPreparedCache(), cachePage)
    })
  cache
    .command('clear')
    .description('remove the prepared images that nothing uses; they are prepared again when they are needed')
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals()
      print(
        options,
        await connect(options).clearPreparedCache(),
        ({ cleared, freed_bytes, kept }) =>
          `${cleared} stores removed, ${bytes(freed_bytes)} freed${kept > 0 ? `; ${kept} in use and kept` : ''}`,
      )
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

function cachePage({ limit_bytes, size_bytes, stores }: PreparedCache): string {
  const limit = limit_bytes === null ? 'no limit' : `of ${bytes(limit_bytes)}`
  const rows = stores.map((store) => [
    store.image_size?.join(' × ') ?? UNKNOWN,
    store.depth === null ? UNKNOWN : `${store.depth} bit`,
    String(store.images),
    bytes(store.size_bytes),
    store.in_use ? 'in use' : age(store.last_used_at),
  ])
  return [
    `prepared images: ${bytes(size_bytes)}, ${limit}`,
    ...(rows.length > 0 ? [formatTable(['size', 'depth', 'images', 'occupy', 'used'], rows)] : []),
  ].join('\n')
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
