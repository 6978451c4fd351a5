import { type ModelExport, QUANTIZATIONS, REQUEST_FORMATS } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { bytes } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { fromCurrentFolder } from '../../terminal/terminal.js'
import { refuseExisting } from '../../workflow-files/write-new-file.js'
import { save } from '../jobs/files.js'

export const addExport: AddCommand = (parent, _context, name = 'export') =>
  parent
    .add(name)
    .description('export a model to a file for other software')
    .argument('<model>', 'model id')
    .option('--format <format>', `${REQUEST_FORMATS.join(', ')} (default: ONNX)`)
    .option('--quantization <method>', `${QUANTIZATIONS.join(', ')} (default: none)`)
    .option('--checkpoint <folder>', 'checkpoint (default: the best one)')
    .option('-o, --output <file>', 'also save the file on this machine')
    .example(
      'medloom models export resnet18_gated_001',
      'medloom models export resnet18_gated_001 --format TorchScript --output model.pt',
    )
    .action(async (modelId: string, _, command) => {
      const options = command.optsWithGlobals()
      if (options.output) refuseExisting(options.output)
      const client = connect(options)
      const written = await client.exportModel({
        model_id: modelId,
        ...(options.format ? { format: options.format } : {}),
        ...(options.quantization ? { quantization: options.quantization } : {}),
        ...(options.checkpoint ? { checkpoint_path: fromCurrentFolder(options.checkpoint) } : {}),
      })
      const { job_id, file: path } = written
      if (options.output)
        await save(await client.download('getJobFile', { job_id, path }), fromCurrentFolder(options.output))
      print(options, written, exportPage)
    })

export function exportPage({
  model_id,
  format,
  path,
  size_bytes,
  difference,
  warnings,
}: ModelExport): string {
  return [
    `${model_id} as ${format}, ${bytes(size_bytes)}; predictions differ by at most ${difference.toPrecision(1)}`,
    ...warnings.map(({ code, message }) => `warning: ${message} [${code}]`),
    path,
  ].join('\n')
}
