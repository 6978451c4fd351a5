import type { MedloomClient } from '@medloom/client/node'
import type { OptionValues } from 'commander'
import { collect, type MedloomCommand } from '../../command.js'
import type { CommandContext } from '../../context.js'
import { findWorkflow } from '../../workflow-files/find-workflow.js'
import { sendFile } from '../../workflow-files/linked-files.js'
import { meansFile, readWorkflowFile } from '../../workflow-files/workflow-file.js'

/** The options of `plan` and `run` that select nodes. */
export function withSelection(command: MedloomCommand): MedloomCommand {
  return command
    .argument('<workflow>', 'file, id or name')
    .option('-t, --target <node>', 'run only this node and the nodes that it depends on; repeatable', collect)
    .option('-f, --force <node>', 'run this node even if its result is cached; repeatable', collect)
}

export function selection({ target, force }: OptionValues) {
  return { ...(target ? { targets: target } : {}), ...(force ? { force } : {}) }
}

/** The id of the workflow that a word names. A file is first sent to the service. */
export async function sendOrFind(
  client: MedloomClient,
  word: string,
  context: CommandContext,
): Promise<string> {
  if (!meansFile(word)) return findWorkflow(client, word)
  const file = readWorkflowFile(word)
  context.placeOf = file.placeOf
  return (await sendFile(client, file)).workflow_id
}
