import type { MedloomClient } from '@medloom/client/node'
import { counted, readWorkflow, type WorkflowIssue } from '@medloom/contracts'
import { infer, validate } from '@medloom/workflow'
import type { AddCommand } from '../../command.js'
import type { CommandContext } from '../../context.js'
import { EXIT } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'
import { issueLines } from '../../terminal/report-error.js'
import { styleFor } from '../../terminal/style.js'
import { terminal } from '../../terminal/terminal.js'
import { findWorkflow } from '../../workflow-files/find-workflow.js'
import { meansFile, readWorkflowFile } from '../../workflow-files/workflow-file.js'

interface Checked {
  readonly nodes: number
  readonly connections: number
  readonly issues: readonly WorkflowIssue[]
}

export const addCheck: AddCommand = (parent, context) =>
  parent
    .add('check')
    .description('check a workflow for errors and warnings; a file is checked without the service')
    .argument('<workflow>', 'file, id or name')
    .example('medloom workflow check first.json')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const checked = meansFile(word) ? checkFile(word, context) : await checkSaved(connect(options), word)
      print(options, checked, () => page(checked, context))
      if (checked.issues.some(({ severity }) => severity === 'error')) context.exitCode = EXIT.badInput
    })

async function checkSaved(client: MedloomClient, word: string): Promise<Checked> {
  const { workflow, issues } = await client.getWorkflow({ workflow_id: await findWorkflow(client, word) })
  return { nodes: workflow.nodes.length, connections: workflow.connections.length, issues }
}

/** Checks everything that needs no service: structure, types, ports, configurations, cycles, and rules that span several nodes. */
function checkFile(word: string, context: CommandContext): Checked {
  const file = readWorkflowFile(word)
  context.placeOf = file.placeOf
  const read = readWorkflow(file.document)
  if (!read.ok)
    return {
      nodes: 0,
      connections: 0,
      issues: read.issues.map((issue) => ({ ...issue, severity: 'error' })),
    }
  const validated = validate(read.value)
  return {
    nodes: read.value.nodes.length,
    connections: read.value.connections.length,
    issues: [...validated.issues, ...infer(validated).issues],
  }
}

function page({ nodes, connections, issues }: Checked, context: CommandContext): string {
  const style = styleFor(terminal().stdout)
  const errors = issues.filter(({ severity }) => severity === 'error').length
  const counts = `${counted(errors, 'error')}, ${counted(issues.length - errors, 'warning')}`
  const verdict =
    errors > 0 ? style.red(counts) : issues.length > 0 ? style.yellow(counts) : style.green('no problems')
  const lines = issues.map((issue) => {
    const word = issue.severity === 'error' ? style.red('error  ') : style.yellow('warning')
    return `${word}${issueLines(issue, context.placeOf, style)}`
  })
  return [...lines, `${counted(nodes, 'node')}, ${counted(connections, 'connection')}: ${verdict}`].join('\n')
}
