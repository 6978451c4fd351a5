import { readWorkflow, type WorkflowIssue } from '@medloom/contracts'
import { infer, validate } from '@medloom/workflow'
import type { Command } from 'commander'
import { EXIT } from '../../exit-codes.js'
import type { CommandContext } from '../../program.js'
import { connect } from '../../service/connection.js'
import { issueLines, print } from '../../terminal/print.js'
import { styleFor } from '../../terminal/style.js'
import { findWorkflow } from '../../workflow-files/find-workflow.js'
import { meansFile, readWorkflowFile } from '../../workflow-files/workflow-file.js'

interface Checked {
  readonly nodes: number
  readonly connections: number
  readonly issues: readonly WorkflowIssue[]
}

export function addCheck(workflow: Command, context: CommandContext): void {
  workflow
    .command('check')
    .description('find everything that is wrong with a workflow; a file is checked without the service')
    .argument('<workflow>', 'file, id or name')
    .action(async (word: string, _, command: Command) => {
      const options = command.optsWithGlobals()
      const checked = meansFile(word) ? checkFile(word, context) : await ask()
      print(options, checked, () => page(checked, context))
      if (checked.issues.some(({ severity }) => severity === 'error')) context.exitCode = EXIT.badInput

      async function ask(): Promise<Checked> {
        const client = connect(options)
        const answer = await client.getWorkflow({ workflow_id: await findWorkflow(client, word) })
        const { nodes, connections } = answer.workflow
        return { nodes: nodes.length, connections: connections.length, issues: answer.issues }
      }
    })
}

/** What can be said without the service: structure, types, ports, configs, cycles, and rules that span nodes. */
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
  const style = styleFor(process.stdout)
  const errors = issues.filter(({ severity }) => severity === 'error').length
  const counts = `${errors} errors, ${issues.length - errors} warnings`
  const verdict =
    errors > 0 ? style.red(counts) : issues.length > 0 ? style.yellow(counts) : style.green('no fault')
  const lines = issues.map((issue) => {
    const word = issue.severity === 'error' ? style.red('error  ') : style.yellow('warning')
    return `${word}${issueLines(issue, context.placeOf, style)}`
  })
  return [...lines, `${nodes} nodes, ${connections} connections: ${verdict}`].join('\n')
}
