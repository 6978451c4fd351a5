import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE, QUANTIZATIONS } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { UsageError } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'
import { fromCurrentFolder } from '../../terminal/terminal.js'
import { save } from '../jobs/files.js'
import { exportPage } from './export.js'
import { unpack } from './unpack.js'

export const addPackage: AddCommand = (parent) =>
  parent
    .add('package')
    .description('save a model as a folder that predicts without Medloom')
    .argument('<model>', 'model id or alias')
    .option('--folder <folder>', 'new or empty folder (default: <model>-package in the current folder)')
    .option('--quantization <method>', `${QUANTIZATIONS.join(', ')} (default: none)`)
    .option('--checkpoint <folder>', 'checkpoint (default: the best one)')
    .example(
      'medloom models package champion',
      'medloom models package resnet18_gated_001 --folder lesion-model',
    )
    .action(async (modelId: string, _, command) => {
      const options = command.optsWithGlobals()
      const named: string = options.folder ?? `${modelId}-package`
      const folder = fromCurrentFolder(named)
      refuseFilled(folder, named)
      const client = connect(options)
      const written = await client.exportModel({
        model_id: modelId,
        format: PACKAGE,
        ...(options.quantization ? { quantization: options.quantization } : {}),
        ...(options.checkpoint ? { checkpoint_path: fromCurrentFolder(options.checkpoint) } : {}),
      })
      const { job_id, file: path } = written
      mkdirSync(folder, { recursive: true })
      const archive = join(folder, '.package.zip')
      try {
        await save(await client.download('getJobFile', { job_id, path }), archive)
        await unpack(archive, folder)
        rmSync(archive)
      } catch (error) {
        rmSync(folder, { recursive: true, force: true }) // it was new or empty
        throw error
      }
      print(options, { ...written, folder }, () => exportPage({ ...written, path: folder }))
    })

function refuseFilled(folder: string, named: string): void {
  if (isFilled(folder))
    throw new UsageError(`${named} already exists and is not an empty folder.`, 'Use another folder.')
}

function isFilled(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}
