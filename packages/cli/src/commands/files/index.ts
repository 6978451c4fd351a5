import { addGroup, type MedloomCommand } from '../../command.js'
import type { CommandContext } from '../../context.js'
import { addFilesList } from './list.js'
import { addFilesUpload } from './upload.js'

export function addFiles(program: MedloomCommand, context: CommandContext): void {
  const files = addGroup(program, 'files', 'list or upload files of the service', 'ls')
  for (const add of [addFilesList, addFilesUpload]) add(files, context)
}
