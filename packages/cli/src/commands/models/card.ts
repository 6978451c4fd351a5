import { CARD_FORMATS } from '@medloom/contracts'
import { Option } from 'commander'
import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { bytes } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { fromCurrentFolder } from '../../terminal/terminal.js'
import { refuseExisting } from '../../workflow-files/write-new-file.js'
import { save } from '../jobs/files.js'

export const addModelCard: AddCommand = (parent) =>
  parent
    .add('card')
    .description('save the model card, written from the training and its newest evaluation on a test split')
    .argument('<model>', 'model id or alias')
    .addOption(
      new Option('--format <format>', 'form of the card').choices(CARD_FORMATS).default(CARD_FORMATS[0]),
    )
    .requiredOption('-o, --output <file>', 'Markdown file to write')
    .example(
      'medloom models card resnet18_gated_001 --output README.md',
      'medloom models card champion --format chai --output applied-model-card.md',
    )
    .action(async (model_id: string, _, command) => {
      const { format, output: file, ...options } = command.optsWithGlobals()
      refuseExisting(file)
      const size_bytes = await save(
        await connect(options).download('getModelCard', { model_id, format }),
        fromCurrentFolder(file),
      )
      print(options, { model_id, format, file, size_bytes }, () => `${file}, ${bytes(size_bytes)}`)
    })
