import type { SystemInfo } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'

export const addSystemInfo: AddCommand = (parent) =>
  parent
    .add('info')
    .description('show GPU, disk and versions of the machine that runs the service')
    .example('medloom system info')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).getSystemInfo(), systemPage)
    })

function systemPage(info: SystemInfo): string {
  const devices = info.gpu.devices.map(
    (device) => `gpu ${device.id}     ${device.name}, ${device.memory_used} of ${device.memory_total} used`,
  )
  const noGpu = info.gpu.mps ? 'gpu       Apple (Metal)' : 'gpu       none; trainings use the CPU'
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
    `trainings ${trainingsInWords(info.trainings)}`,
    ...(info.python_error ? [`problem   ${info.python_error}`, 'Run "medloom doctor".'] : []),
  ].join('\n')
}

/** `with --launcher ray: 2 nodes, 16 cores, no GPU` */
function trainingsInWords({ launcher, cluster }: SystemInfo['trainings']): string {
  if (launcher === 'local') return 'on this machine'
  if (!cluster) return `with --launcher ${launcher}, which does not respond`
  const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`
  const gpus = cluster.gpus === 0 ? 'no GPU' : count(cluster.gpus, 'GPU')
  return `with --launcher ${launcher}: ${count(cluster.nodes, 'node')}, ${count(cluster.cpus, 'core')}, ${gpus}`
}
